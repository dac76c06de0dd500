import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createNoIsolation } from '../isolation/none.ts'
import { createAttempt } from '../programs/attempt.fixture.ts'
import { init, pullState, showState, type ToolContext } from './tool-commands.ts'

/** Creates the context of a tool that runs until it is stopped, so that its state is never read. */
async function placeOf({
  signal,
  watch,
  script = 'exec sleep 60',
}: {
  signal?: AbortSignal
  watch?: typeof neverLimited
  script?: string
}): Promise<ToolContext> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-tool-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'terraform')
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const attempt = await createAttempt(
    join(folder, 'attempt'),
    { ...createNoIsolation([]), ...(watch && { watch }) },
    signal,
  )
  const tool = { name: 'terraform', version: '1.14.0', path } as const
  return { tool, directory: '.', env: {}, maxPlanBytes: 1_000, readOnly: [], attempt, onEvent: () => {} }
}
const neverLimited = createNoIsolation([]).watch
const limit = { limit: 'memory', message: 'It used too much memory.' } as const

test.each([
  ['the step was cancelled before', () => placeOf({ signal: AbortSignal.abort() })],
  ['the step is cancelled meanwhile', () => placeOf({ signal: AbortSignal.timeout(200) })],
  ['the tool reaches a limit', () => placeOf({ watch: async () => limit })],
])('the result of an apply is reported without the state if %s', async (_, placed) => {
  for (const readState of [showState, pullState]) {
    expect(await readState(await placed()), 'see readAfterApply in iac/tool-commands.ts').toBe(undefined)
  }
})

test('an error that `init` prints as plain text is reported as an error', async () => {
  const said = 'Error refreshing state: HTTP remote state endpoint requires auth'
  const { events } = await init(await placeOf({ script: `echo '{"@message":"Initializing"}'; echo '${said}'; exit 1` }))
  expect(events).toEqual([{ kind: 'error', diagnostic: { severity: 'error', summary: said, detail: '' } }])
})
