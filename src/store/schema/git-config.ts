/**
 * The command that makes git merge data files with `appvars merge`, and diff
 * them by names.
 */
export const GIT_CONFIG =
  "git config merge.appvars.driver 'appvars merge %O %A %B %P' && " +
  "git config diff.appvars.textconv 'appvars diff'";
