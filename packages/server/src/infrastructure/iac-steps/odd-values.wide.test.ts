import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { readState } from '../../stacks/iac-states/state-file.ts'
import { findLatestState, openState } from '../../stacks/iac-states/store.ts'
import { outputsOf } from '../../stacks/stacks/outputs.ts'
import { findStack } from '../../stacks/stacks/store.ts'
import { stackWorkspaces } from '../../stacks/stacks/tables.ts'
import { resourcesOfStep } from '../iac-resources/record.ts'
import { type AttemptResult, type IacWorld, missingToolReason, startIacWorld } from './iac-world.fixture.ts'

const why = await missingToolReason()

const omittedIn = ({ progress }: AttemptResult): string[] =>
  ((progress.omittedValues ?? []) as { path: string; reason: string }[]).map(({ path, reason }) => `${path}: ${reason}`)

const text = 'expected text without NUL characters or lone surrogates'

describe.skipIf(why !== undefined)(`values that cannot be stored${why === undefined ? '' : ` [${why}]`}`, () => {
  let world: IacWorld
  beforeAll(async () => {
    world = await startIacWorld()
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  /** Plans and applies a configuration; both steps must succeed. */
  async function apply(main: string) {
    const [stackId, runId] = [await world.stack(), await world.run()]
    const planned = await world.do(runId, 'iac:plan', { stack_id: stackId, source: { files: { 'main.tf': main } } })
    expect(planned.outcome, 'the plan succeeds').toMatchObject({ status: 'SUCCESS' })
    const applied = await world.do(runId, 'iac:apply', {})
    expect(applied.outcome, 'what was applied is not undone by a value').toMatchObject({ status: 'SUCCESS' })
    const stack = await findStack(world.db, world.organizationId, stackId)
    if (!stack) throw new Error('there is no stack')
    return { stackId, runId, planned, applied, outputs: outputsOf(world.seal, stack).open }
  }

  test(
    'an output is stored exactly, or omitted and named, after everything was applied',
    everyCase<[string, string, Record<string, unknown>, string[]]>(
      [
        ['NUL', 'output "a" { value = "x\\u0000y" }', {}, [`output.outputs.a: ${text}`]],
        [
          'a member with NUL',
          'output "a" { value = { b = "\\u0000", c = 1 } }',
          { a: { c: 1 } },
          [`output.outputs.a.b: ${text}`],
        ],
        [
          'a name inside a sensitive output',
          'output "a" {\n sensitive = true\n value = { "hidden\\u0000" = "x" }\n}',
          {},
          ['output.outputs.a: expected a name without NUL characters or lone surrogates'],
        ],
        ['an integer beyond 2^53', 'output "a" { value = 12345678901234567890 }', { a: '12345678901234567890' }, []],
        ['a decimal', 'output "a" { value = 3.14159265358979323846 }', { a: '3.14159265358979323846' }, []],
        ['1e400', 'output "a" { value = 1e400 }', { a: expect.stringMatching(/^1(e\+?400|0{400})$/) }, []],
        [
          'a key __proto__',
          'output "a" { value = { "__proto__" = "x" } }',
          { a: {} },
          ['output.outputs.a.__proto__: expected a name other than __proto__'],
        ],
        [
          'an output __proto__',
          'output "__proto__" { value = "x" }',
          {},
          ['output.outputs.__proto__: expected a name other than __proto__'],
        ],
        [
          'a text of 5 MB',
          'output "a" { value = join("", [for n in range(500) : join("", [for m in range(1000) : "0123456789"])]) }\noutput "b" { value = 1 }',
          { b: 1 },
          ['output.outputs.a: expected at most 2097152 characters in total'],
        ],
      ],
      async (_, main, expected, omitted) => {
        const { applied, outputs } = await apply(`resource "terraform_data" "web" { input = "web" }\n${main}`)
        expect(outputs).toEqual(expected)
        expect(applied.outcome).toMatchObject({ output: { outputs: expected } })
        expect(omittedIn(applied)).toEqual(omitted)
        for (const line of omitted) expect(applied.log.join('\n')).toContain(`does not store ${line}`)
      },
      { concurrency: 2 },
    ),
  )

  test('a resource is planned and applied whatever its values and keys, and the plan names omitted values', async () => {
    const { planned, applied, stackId } = await apply(`
      resource "terraform_data" "nul" { input = "x\\u0000y" }
      resource "terraform_data" "each" {
        for_each = { "k\\u0000ey" = 1, "__proto__" = 2 }
        input    = { (each.key) = each.value, big = 12345678901234567890 }
      }
      resource "terraform_data" "deep" { input = jsondecode("${'['.repeat(300)}${']'.repeat(300)}") }
    `)
    expect(omittedIn(planned)).toEqual(
      expect.arrayContaining([
        `terraform_data.nul.after.input: ${text}`,
        'terraform_data.each["__proto__"].after.input: expected a name other than __proto__',
        'terraform_data.deep.after.input: expected at most 128 levels of nesting',
      ]),
    )
    const rows = await resourcesOfStep(world.db, world.organizationId, planned.id)
    const afterOf = (address: string) => rows.find((row) => row.address === address)?.vendorData.after
    expect(afterOf('terraform_data.nul')).toMatchObject({ input: '(not stored)' })
    expect(afterOf('terraform_data.each["__proto__"]')).toMatchObject({
      input: { '(not stored)': 2, big: '12345678901234567890' },
    })
    const done = await resourcesOfStep(world.db, world.organizationId, applied.id)
    expect(done.map(({ isInCurrentState, error }) => ({ isInCurrentState, error }))).toEqual(
      Array(4).fill({ isInCurrentState: true, error: null }),
    )
    const destroyed = await world.do(await world.run(), 'iac:destroy', {
      stack_id: stackId,
      source: { files: { 'main.tf': '' } },
    })
    expect(destroyed.outcome).toMatchObject({ status: 'SUCCESS' })
  })

  test('the stored state is what the tool wrote', async () => {
    const { stackId } = await apply('output "a" { value = 12345678901234567890 }')
    const [workspace] = await world.db.select().from(stackWorkspaces).where(eq(stackWorkspaces.stackId, stackId))
    const state = workspace && (await findLatestState(world.db, world.organizationId, workspace.id))
    if (!state) throw new Error('there is no state')
    const bytes = await openState(world.seal, state)
    expect(bytes.toString()).toContain('12345678901234567890')
    expect(readState(bytes)?.outputs.a?.value).toBe('12345678901234567890')
  })
})
