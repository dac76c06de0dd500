import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { notIsolated } from '../isolation/none.ts'
import { attemptIn } from '../programs/attempt.fixture.ts'
import { init, pullState, showState, type Workplace } from './run.ts'

/** A tool that runs until it is stopped, so that its state is never read. */
async function placeOf({
  signal,
  watch,
  script = 'exec sleep 60',
}: {
  signal?: AbortSignal
  watch?: typeof neverLimited
  script?: string
}): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-tool-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'terraform')
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const attempt = await attemptIn(join(folder, 'attempt'), { ...notIsolated([]), ...(watch && { watch }) }, signal)
  const tool = { name: 'terraform', version: '1.14.0', path } as const
  return { tool, directory: '.', env: {}, mostPlanBytes: 1_000, readOnly: [], attempt, hear: () => {} }
}
const neverLimited = notIsolated([]).watch
const limit = { limit: 'memory', message: 'It used too much memory.' } as const

test.each([
  ['the step was cancelled before', () => placeOf({ signal: AbortSignal.abort() })],
  ['the step is cancelled meanwhile', () => placeOf({ signal: AbortSignal.timeout(200) })],
  ['the tool reaches a limit', () => placeOf({ watch: async () => limit })],
])('the result of an apply is reported without the state if %s', async (_, placed) => {
  for (const readState of [showState, pullState]) {
    expect(await readState(await placed()), 'see readAfterApply in iac/run.ts').toBe(undefined)
  }
})

test('an error that `init` prints as plain text is the reason of the failure', async () => {
  const said = 'Error refreshing state: HTTP remote state endpoint requires auth'
  const { events } = await init(await placeOf({ script: `echo '{"@message":"Initializing"}'; echo '${said}'; exit 1` }))
  expect(events).toEqual([{ kind: 'error', diagnostic: { severity: 'error', summary: said, detail: '' } }])
})
