import { Service } from "../../src/service/service.js";
import { createMemoryStore } from "../../src/store/memory-store.js";
import { DATA } from "../support/data.js";
import { describeVariableSource } from "./variable-source.js";

describeVariableSource("the service over a memory store", async (data = DATA) => {
  const service = new Service(createMemoryStore(data), Date.now);
  return service.source(service.findEnvironment("shop/development"));
});
