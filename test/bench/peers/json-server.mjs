// json-server: a value is found by its name; nothing is authenticated or limited. node
// json-server.mjs DATA
import jsonServer from "json-server";
import { loadEnvironments } from "./environments.mjs";

const [environment] = [...loadEnvironments(process.argv[2]).values()].filter(
  ({ contents }) => contents.size > 0,
);
const contents = Array.from(environment.contents, ([id, { value }]) => ({ id, value }));

const router = jsonServer.router({ contents });
router.render = (_req, res) => res.json({ value: res.locals.data.value });

const app = jsonServer
  .create()
  // Its own default indents.
  .set("json spaces", 0)
  .use(jsonServer.defaults({ logger: false }))
  .use(jsonServer.rewriter({ "/v1/variables-values-by-name/:name/content": "/contents/:name" }))
  .use(router);
const server = app.listen(0, "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
);
