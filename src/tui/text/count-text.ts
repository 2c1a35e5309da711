const format = new Intl.NumberFormat("en-US");

/** `1,200` */
export function countText(count: number): string {
  return format.format(count);
}
