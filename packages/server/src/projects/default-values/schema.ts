import { getWorkerResult } from '../../platform/aside/answered.ts'
import type { Checked, ToCheck } from './schema-check.ts'

export type JsonSchema = Record<string, unknown>

/** Maximum size of a schema in bytes of JSON, which limits the cost of compiling it. */
const maxSchemaBytes = 64 * 1024

const checking = new URL('./schema-check.ts', import.meta.url)

/**
 * Returns the errors in a user's JSON Schema (2020-12) at the path `root`, and in values that must match it. Compiling
 * a schema and its patterns can take indefinitely, so that it runs in a worker thread.
 */
export function schemaFaults(schema: JsonSchema, root: string, values: ToCheck['values'] = []): Checked {
  if (Buffer.byteLength(JSON.stringify(schema)) > maxSchemaBytes) {
    return { ofSchema: [`${root}: expected at most ${maxSchemaBytes} bytes of JSON`] }
  }
  const toCheck: ToCheck = { schema, root, values }
  const answer = getWorkerResult<Checked>(checking, toCheck)
  return 'result' in answer
    ? answer.result
    : { ofSchema: [`${root}: expected a JSON Schema (2020-12); ${answer.trouble}`] }
}
