import { type Answer, type Read, VariableReader } from "../domain/read.js";
import { targetOf } from "../domain/routes.js";
import { type Decoder, decoderOf } from "./decode.js";

export abstract class RemoteReader extends VariableReader {
  /** Decodes the answer to a GET. @param target path and query */
  protected abstract get<T>(target: string, decode: Decoder<T>): Promise<T>;

  async answer<R extends Read>(read: R): Promise<Answer<R>> {
    return this.get(targetOf(read), decoderOf(read) as Decoder<Answer<R>>);
  }
}
