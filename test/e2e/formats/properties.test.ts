import { it } from "vitest";
import { writeProperties } from "../../../src/formats/lines.js";
import { asText, expectSame, fileWith, has, output } from "../../formats/consumers.js";
import { ALL_VALUES, entriesOf } from "../../formats/nasty-values.js";

const all = entriesOf(ALL_VALUES);

const JAVA = `
import java.io.*; import java.util.*;
public class Dump {
  public static void main(String[] a) throws Exception {
    Properties p = new Properties();
    try (InputStream in = new FileInputStream(a[0])) { p.load(in); }
    StringBuilder out = new StringBuilder();
    for (String name : p.stringPropertyNames()) {
      out.append(name);
      for (char c : p.getProperty(name).toCharArray()) out.append(' ').append((int) c);
      out.append('\\n');
    }
    System.out.print(out);
  }
}`;

it.skipIf(!has("java", "-version"))(
  "Java's Properties.load gives every value back, down to UTF-16 units (skipped without Java)",
  async () => {
    const program = await fileWith("Dump.java", JAVA);
    const lines = (
      await output("java", [program, await fileWith("vars.properties", writeProperties(all))])
    ).split("\n");
    const read = lines.filter(Boolean).map((line) => {
      const [name = "", ...units] = line.split(" ");
      return [name, units.map((unit) => String.fromCharCode(Number(unit))).join("")];
    });
    expectSame(Object.fromEntries(read), asText(all));
  },
);
