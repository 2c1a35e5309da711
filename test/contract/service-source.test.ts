import { Service } from "../../src/service/service.js";
import { describeVariableSource } from "./variable-source.js";

describeVariableSource("the service over a memory store", async (store) => {
  const service = new Service(store, Date.now);
  return service.source(service.findEnvironment("shop/development"));
});
