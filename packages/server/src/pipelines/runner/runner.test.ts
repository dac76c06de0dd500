import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failures } from '@sluice/contract'
import { type AcquireAttemptsResponse, type Assignment, runnerPaths } from '@sluice/contract/runner-protocol'
import type { Call } from '@sluice/runner/api/call'
import { readCommandLine } from '@sluice/runner/programs/command-line'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import { eventually } from '../../testing/eventually.ts'
import { pipelineStepExecutions } from '../pipelines/tables.ts'
import { type RunnerTestApi, runnerOf, startRunnerTestApi } from './runner.fixture.ts'

let yard: RunnerTestApi
beforeAll(async () => {
  yard = await startRunnerTestApi()
})
afterAll(() => yard?.[Symbol.asyncDispose]())

const untilProgramRuns = (id: string) =>
  eventually(
    'the program to run',
    () => yard.logOf(id),
    (log) => /^begun$/m.test(log),
  )

describe('a runner', () => {
  test('executes a command, stores its log and returns its output', async () => {
    await using _runner = await runnerOf(yard.parts())
    const id = await yard.command({ shell: `echo hello; echo oops >&2; echo '{"image": "app:1"}' >"$SLUICE_OUTPUT"` })
    const over = await yard.untilOver(id)
    expect(over).toMatchObject({
      status: 'SUCCESS',
      attemptEpoch: 1,
      outputData: { image: 'app:1' },
      runnerId: null,
      leaseUntil: null,
    })
    expect(over.inputData).toHaveProperty('shell')
    expect(await yard.logOf(id)).toMatch(/^\$ echo hello.*\nhello\noops\n$/s)
  })

  test('leaves no file in its directory', async () => {
    const parts = yard.parts()
    await using _runner = await runnerOf(parts)
    const id = await yard.command({ shell: 'mkdir -p cache && touch cache/x && chmod -R a-w cache' })
    await yard.untilOver(id)
    await eventually(
      'the directory to be empty',
      () => readdir(parts.directory),
      (names) => names.length === 0,
    )
  })

  test('executes at most its capacity at a time, and all steps in the end', async () => {
    await using _runner = await runnerOf(yard.parts({ capacity: 2 }))
    const busy: number[] = []
    const ids = await Promise.all(Array.from({ length: 5 }, () => yard.command({ argv: ['sleep', '0.2'] })))
    const look = async () => {
      const steps = await Promise.all(ids.map((id) => yard.stepOf(id)))
      busy.push(steps.filter(({ status }) => status === 'IN_PROGRESS').length)
      return steps
    }
    await eventually('all to be over', look, (steps) => steps.every(({ status }) => status === 'SUCCESS'))
    expect(Math.max(...busy)).toBe(2)
  })

  test('does not start an attempt again that has ended, even if a late response names it', async () => {
    const parts = yard.parts({ capacity: 1 })
    let given: Assignment | undefined
    const call: Call = async (path, ...rest) => {
      const answer = await parts.call<Record<string, unknown>>(path, ...rest)
      given ??= (answer as Partial<AcquireAttemptsResponse>).attempts?.[0]
      return (path === runnerPaths.settle ? { next: given } : answer) as never
    }
    const counted = { shell: 'echo begun >>"$WHERE/counted"', environment_variables: { WHERE: yard.directory } }
    const id = await yard.command(counted)
    await using _runner = await runnerOf({ ...parts, call })
    await yard.untilOver(id)
    await yard.untilOver(await yard.command({ argv: ['true'] })) // occupies the slot that the other one would have
    expect(await readFile(join(yard.directory, 'counted'), 'utf8')).toBe('begun\n')
  })

  test('finishes its steps when it drains, and leaves others to other runners', async () => {
    const runner = await runnerOf(yard.parts({ capacity: 2 }))
    const id = await yard.command({
      shell: 'echo begun; until [ -e "$WHERE/drained" ]; do sleep 0.05; done',
      environment_variables: { WHERE: yard.directory },
    })
    await untilProgramRuns(id)
    const stopped = runner.stop({ drainMs: Number.POSITIVE_INFINITY })
    const other = await yard.command({ argv: ['true'] })
    await using _other = await runnerOf(yard.parts())
    expect((await yard.untilOver(other)).status).toBe('SUCCESS')
    expect((await yard.stepOf(id)).status).toBe('IN_PROGRESS')

    await writeFile(join(yard.directory, 'drained'), '')
    await stopped
    expect(await yard.stepOf(id)).toMatchObject({ status: 'SUCCESS', attemptEpoch: 1 })
  })

  test('interrupts steps that exceed the drain time, and reports their progress', async () => {
    const runner = await runnerOf(yard.parts())
    const id = await yard.command({ shell: 'trap "echo interrupted; exit 3" INT; echo begun; sleep 600 & wait' })
    await untilProgramRuns(id)
    await runner.stop({ drainMs: 1 })
    expect(await yard.stepOf(id)).toMatchObject({
      status: 'ERROR',
      error: { code: failures.runnerTaskEnded.code },
    })
  })

  test('keeps programs running when it stops, and continues with them after its restart', async () => {
    const parts = yard.parts()
    const id = await yard.command({
      shell: 'echo begun >>"$WHERE/runs"; echo first; until [ -e "$WHERE/go" ]; do sleep 0.05; done; echo second',
      environment_variables: { WHERE: yard.directory },
    })
    const log = () => yard.logOf(id)
    {
      await using _runner = await runnerOf(parts)
      await eventually('its first line', log, (text) => text.includes('first'))
    }
    expect(await yard.stepOf(id)).toMatchObject({ status: 'IN_PROGRESS', runnerId: parts.runnerId })
    await using _runner = await runnerOf(parts)
    await writeFile(join(yard.directory, 'go'), '')
    expect(await yard.untilOver(id)).toMatchObject({ status: 'SUCCESS', attemptEpoch: 1 })
    const lines = (await log()).split('\n')
    expect(lines.filter((line) => line === 'first')).toHaveLength(1)
    expect(lines.filter((line) => line === 'second')).toHaveLength(1)
    expect(lines.filter((line) => line.startsWith('$ '))).toHaveLength(1)
  })

  test('whose attempt has ended during its restart ends the program and writes nothing', async () => {
    const parts = yard.parts()
    const id = await yard.command({ shell: 'echo pid $$; sleep 300' })
    {
      await using _runner = await runnerOf(parts)
      await eventually(
        'its process id',
        () => yard.logOf(id),
        (text) => /pid \d/.test(text),
      )
    }
    const pid = Number(/pid (\d+)/.exec(await yard.logOf(id))?.[1])
    const log = await yard.logOf(id)
    await yard.db
      .update(pipelineStepExecutions)
      .set({ status: 'QUEUED', queueReason: 'RETRY_BACKOFF', runnerId: null, leaseUntil: null })
      .where(eq(pipelineStepExecutions.id, id))
    await using _runner = await runnerOf(parts)
    await untilGone(pid)
    expect(await yard.logOf(id)).toBe(log)
    expect(await yard.stepOf(id)).toMatchObject({ status: 'QUEUED', queueReason: 'RETRY_BACKOFF' })
  })

  test('that stops returns attempts that it received last, and keeps those that it has started', async () => {
    const parts = yard.parts({ capacity: 1 }) // so that it leases nothing more
    const begun = await yard.command({ shell: 'echo pid $$; sleep 300' })
    let given = ''
    {
      await using _runner = await runnerOf(parts)
      await eventually(
        'its process id',
        () => yard.logOf(begun),
        (text) => /pid \d/.test(text),
      )
      // Simulates a lost response to its last lease request.
      const { runnerId } = parts
      const lost = { status: 'IN_PROGRESS', runnerId, attemptEpoch: 1, queueMetadata: {} } as const
      given = await yard.command({ shell: 'true' }, { step: { ...lost, leaseUntil: new Date(Date.now() + 60_000) } })
    }
    expect(await yard.stepOf(given)).toMatchObject({ status: 'QUEUED', queueReason: 'RUNNER_CAPACITY', runnerId: null })
    expect(await yard.stepOf(begun)).toMatchObject({ status: 'IN_PROGRESS', runnerId: parts.runnerId })
    await yard.db
      .update(pipelineStepExecutions)
      .set({ status: 'ERROR', runnerId: null })
      .where(eq(pipelineStepExecutions.id, begun))
    const pid = Number(/pid (\d+)/.exec(await yard.logOf(begun))?.[1])
    await using _again = await runnerOf(parts)
    await untilGone(pid)
  })

  test('that loses an attempt ends the program and writes nothing', async () => {
    await using _runner = await runnerOf(yard.parts())
    const id = await yard.command({ shell: 'echo pid $$; while :; do sleep 0.01; echo more; done' })
    await eventually(
      'its process id',
      () => yard.logOf(id),
      (text) => /pid \d/.test(text),
    )
    const pid = Number(/pid (\d+)/.exec(await yard.logOf(id))?.[1])
    const lost = { status: 'ERROR', error: { code: failures.runnerLost.code, message: 'gone' } } as const
    await yard.db.update(pipelineStepExecutions).set(lost).where(eq(pipelineStepExecutions.id, id))
    const log = await yard.logOf(id)
    await untilGone(pid)
    expect(await yard.logOf(id)).toBe(log)
    expect(await yard.stepOf(id)).toMatchObject(lost)
  })

  test('ends a cancelled program that ignores signals', async () => {
    await using _runner = await runnerOf(yard.parts())
    const id = await yard.command({ shell: 'trap "" INT TERM; echo pid $$; while :; do sleep 0.05; done' })
    await eventually(
      'its process id',
      () => yard.logOf(id),
      (text) => /pid \d/.test(text),
    )
    const pid = Number(/pid (\d+)/.exec(await yard.logOf(id))?.[1])
    await yard.cancel(id)
    expect(await yard.untilOver(id)).toMatchObject({ status: 'CANCELLED' })
    await untilGone(pid)
  })

  test('ends a program that times out', async () => {
    await using _runner = await runnerOf(yard.parts())
    const id = await yard.command({ argv: ['sleep', '300'] })
    await yard.untilBegun(id)
    const isUp = { cancelRequestedAt: new Date() } // by the run, which measures the time
    await yard.db.update(pipelineStepExecutions).set(isUp).where(eq(pipelineStepExecutions.id, id))
    expect(await yard.untilOver(id)).toMatchObject({ status: 'ERROR', error: { code: failures.stepTimedOut.code } })
  })

  test('extends its leases while a program is running', async () => {
    await using _runner = await runnerOf(yard.parts())
    const id = await yard.command({ argv: ['sleep', '300'] })
    const first = await yard.untilBegun(id)
    const until = (step: typeof first) => step.leaseUntil?.getTime() ?? 0
    await eventually(
      'a later lease',
      () => yard.stepOf(id),
      (step) => until(step) > until(first),
    )
    await yard.cancel(id)
    await yard.untilOver(id)
  })
})

/** A zombie counts as ended; it waits for its parent. */
const untilGone = (pid: number) =>
  eventually(
    'the program to be gone',
    () => readCommandLine(pid),
    (line) => line === '',
  )
