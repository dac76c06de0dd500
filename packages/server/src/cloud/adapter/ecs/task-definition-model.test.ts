import { RegisterTaskDefinitionRequest$ } from '@aws-sdk/client-ecs'
import { expect, test } from 'vitest'

/** Schema from the SDK: a number, a list that begins with a number, or a function or list that wraps a schema. */
type Schema = number | (() => Schema) | readonly unknown[]

const [listOf, mapOf] = [64, 128]
const scalars: Record<number, string> = { 0: 'string', 1: 'number', 2: 'boolean' }

/** Converts an SDK schema to the model that `modules/module-versions/config/pasted.ts` reads. */
function shapeOf(schema: Schema): unknown {
  if (typeof schema === 'function') return shapeOf(schema())
  if (typeof schema === 'number') {
    if (schema >= mapOf) return 'map'
    return schema >= listOf ? [shapeOf(schema - listOf)] : (scalars[schema] ?? expect.fail(`unknown type ${schema}`))
  }
  const [kind, , , , members, types] = schema as [unknown, unknown, unknown, unknown, never, Schema[]]
  if (typeof kind !== 'number') return shapeOf(kind as Schema) // a schema with traits of the member
  if (kind === 1) return [shapeOf(members)]
  if (kind === 2) return 'map'
  const fields = (members as string[]).map((name, index): [string, unknown] => [name, shapeOf(types[index] ?? 0)])
  return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

test('the task definition model has the fields that the SDK sends; `--update` regenerates it', async () => {
  const model = `${JSON.stringify(shapeOf(RegisterTaskDefinitionRequest$ as Schema), undefined, 2)}\n`
  await expect(model).toMatchFileSnapshot('../../../modules/module-versions/config/task-definition.model.json')
})
