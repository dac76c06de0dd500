import { type SchemaKind, schemaOf } from '@sluice/server/interface/schemas/configs'

/** Prints the JSON Schema of a file type. */
export const printSchema = (kind: SchemaKind): void =>
  void process.stdout.write(`${JSON.stringify(schemaOf(kind), null, 2)}\n`)
