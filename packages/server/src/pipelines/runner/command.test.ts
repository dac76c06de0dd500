import { mkdir, realpath, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { failures } from '@sluice/contract'
import type { Runner } from '@sluice/runner/runner'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { type RunnerTestApi, runnerOf, startRunnerTestApi } from './runner.fixture.ts'

let yard: RunnerTestApi
let runner: Runner
beforeAll(async () => {
  process.env.SLUICE_TEST_SECRET = 'must not be seen by a step'
  yard = await startRunnerTestApi()
  const parts = yard.parts()
  const { command } = parts.handlers
  const withLink: typeof command = async (attempt, order) => {
    const folder = join(attempt.directory, 'source/app')
    await mkdir(folder, { recursive: true })
    await symlink('../../outside', join(folder, 'link'))
    await mkdir(join(attempt.directory, 'outside'))
    return command(attempt, order)
  }
  const isLinked = (order: Parameters<typeof command>[1]) => order.workingDirectory === 'link'
  const handlers = {
    ...parts.handlers,
    command: ((attempt, order) => (isLinked(order) ? withLink : command)(attempt, order)) satisfies typeof command,
  }
  runner = await runnerOf({ ...parts, handlers })
})
afterAll(async () => {
  delete process.env.SLUICE_TEST_SECRET
  await runner?.stop()
  await yard?.[Symbol.asyncDispose]()
})

async function run(given: Record<string, unknown>) {
  const id = await yard.command(given)
  const { status, error, outputData, inputData } = await yard.untilOver(id)
  return { status, error, outputData, inputData, log: await yard.logOf(id) }
}

describe('a command', () => {
  test('has a clean environment with only the search path of programs', async () => {
    const { log } = await run({ argv: ['env'], environment_variables: { A: 'one two', B: 3, C: true, D: null } })
    const variables = log.split('\n').filter((line) => /^\w+=/.test(line))
    const names = variables.map((line) => line.split('=', 1)[0]).filter((name) => name !== 'PWD') // set by the shell
    expect(names.toSorted()).toEqual(['A', 'B', 'C', 'HOME', 'LANG', 'PATH', 'SLUICE_OUTPUT', 'TMPDIR'])
    expect(variables).toEqual(expect.arrayContaining(['A=one two', 'B=3', 'C=true']))
    expect(log).not.toContain('must not be seen')
  })

  test('receives its arguments unchanged, without a shell', async () => {
    const odd = ['$HOME', '`id`', '; exit 3', '*', '', 'a  b', '-n', "it's"]
    const { status, log } = await run({ argv: ['printf', '[%s]\n', ...odd] })
    expect(status).toBe('SUCCESS')
    expect(log.split('\n').slice(1, -1)).toEqual(odd.map((one) => `[${one}]`))
  })

  test('has no standard input, and its own home and temporary directory', async () => {
    const { log } = await run({ shell: 'cat; touch "$HOME/x" "$TMPDIR/y"; ls "$HOME" "$TMPDIR" | wc -l; pwd' })
    expect(log, 'paths of the runner are hidden: see log/mask.ts of the runner').toMatch(/^\.$/m)
    expect(log).not.toContain(yard.directory)
    expect(log).not.toContain(await realpath(yard.directory))
    expect(log).not.toContain(process.env.HOME ?? '/nobody')
  })

  test("cannot see the paths of the runner's shared directories", async () => {
    const roots = [yard.directory, await realpath(yard.directory)]
    const { log } = await run({ argv: ['echo', ...roots.map((root) => join(root, 'repositories/shop.git'))] })
    expect(log, 'see sharedFolders in attempt-execution.ts of the runner').toMatch(/^shop\.git shop\.git$/m)
  })

  test('that fails is reported with the end of its log', async () => {
    const { status, error } = await run({
      shell: 'i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo "line $i"; done; exit 9',
    })
    expect(status).toBe('ERROR')
    expect(error).toMatchObject({
      code: failures.commandFailed.code,
      message: 'The program of the step a ended with exit code 9.',
      metadata: { exitCode: 9 },
    })
    expect(error?.details?.[0]?.items).toEqual(Array.from({ length: 20 }, (_, index) => `line ${index + 11}`))
  })

  test('whose program is missing is reported with the remedy', async () => {
    const { status, error } = await run({ argv: ['no-such-program'] })
    expect(status).toBe('ERROR')
    expect(error).toMatchObject({ code: failures.programMissing.code, description: expect.stringContaining('Install') })
  })

  test.each([
    ['no JSON', 'echo nonsense', 'JSON'],
    ['a list', 'echo "[1]"', 'not an object'],
    ['too much', 'head -c 300000 /dev/zero | tr "\\0" " "', '300000 bytes'],
  ])('whose output is %s fails, and the error names it', async (_what, program, why) => {
    const { status, error } = await run({ shell: `${program} >"$SLUICE_OUTPUT"` })
    expect(status).toBe('ERROR')
    expect(error).toMatchObject({ code: failures.commandOutputInvalid.code, message: expect.stringContaining(why) })
  })

  test('without output has an empty one', async () => {
    expect(await run({ argv: ['true'] })).toMatchObject({ status: 'SUCCESS', outputData: {} })
  })

  const source = { files: { 'app/run.sh': 'echo "in $(pwd)"', 'app/deep/x': 'x' }, base_path: 'app' }

  test('runs in the base path of its source, or in a directory below', async () => {
    const above = await run({ argv: ['sh', 'run.sh'], source })
    expect(above.log).toMatch(/in source\/app\n$/)
    const below = await run({ argv: ['ls'], source, working_directory: 'deep' })
    expect(below.log).toMatch(/\nx\n$/)
  })

  test(
    'cannot run in a directory outside of its source',
    everyCase(['..', '../..', 'deep/../..', '/etc', 'nowhere', 'run.sh'], async (working_directory) => {
      const { status, error } = await run({ argv: ['pwd'], source, working_directory })
      expect(status).toBe('ERROR')
      expect(error).toMatchObject({ code: failures.workingDirectoryInvalid.code })
    }),
  )

  test('cannot run in the target of a link that leads out of its source', async () => {
    const { status, error } = await run({ argv: ['pwd'], source, working_directory: 'link' })
    expect(status).toBe('ERROR')
    expect(error).toMatchObject({
      code: failures.sourceUnavailable.code,
      message: expect.stringContaining('points outside'),
    })
  })

  test('whose templates render to invalid values is rejected with every error', async () => {
    const { status, error } = await run({ argv: '<< inputs.nothing >>', source: 3 })
    expect(status).toBe('ERROR')
    expect(error?.code).toBe(failures.templateInvalid.code)
  })
})

test('the working directory of commands belongs to the attempt', async () => {
  const { log } = await run({ argv: ['pwd'] })
  expect(log.trim().split('\n').at(-1), 'shown as it is in every log').toBe('.')
})
