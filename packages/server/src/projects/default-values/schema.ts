import { ask } from '../../platform/aside/answered.ts'
import type { Checked, ToCheck } from './schema-check.ts'

export type JsonSchema = Record<string, unknown>

/** Above any schema of a default value; bounds what compiling one costs. Bytes of JSON. */
const mostSchemaBytes = 64 * 1024

const checking = new URL('./schema-check.ts', import.meta.url)

/**
 * What is wrong with a JSON Schema (2020-12) of a user, whose place is `root`, and with values by it, each line with
 * its path. Compiling it and its patterns can take for ever, so that is asked.
 */
export function schemaFaults(schema: JsonSchema, root: string, values: ToCheck['values'] = []): Checked {
  if (Buffer.byteLength(JSON.stringify(schema)) > mostSchemaBytes) {
    return { ofSchema: [`${root}: expected at most ${mostSchemaBytes} bytes of JSON`] }
  }
  const toCheck: ToCheck = { schema, root, values }
  const answer = ask<Checked>(checking, toCheck)
  return 'result' in answer
    ? answer.result
    : { ofSchema: [`${root}: expected a JSON Schema (2020-12); ${answer.trouble}`] }
}
