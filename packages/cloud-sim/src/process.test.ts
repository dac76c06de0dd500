import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { untilPasses } from '../../../testing/until-passes.ts'
import { SimControl } from './sim-control.ts'
import { spawnCloudSim } from './spawn.ts'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

function temporaryState() {
  const directory = mkdtempSync(join(tmpdir(), 'cloud-sim-process-'))
  return {
    file: join(directory, 'state.db'),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}

const startMain = (...flags: string[]) =>
  spawn(process.execPath, [main, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })

async function firstLine(child: ChildProcess): Promise<string> {
  const [chunk] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  return chunk.toString()
}

test.for(['SIGTERM', 'SIGINT'] as const)('%s ends it, although a client keeps its connection', async (signal) => {
  using state = temporaryState()
  const child = startMain('--state', state.file)
  const { listening } = JSON.parse(await firstLine(child)) as { listening: string }
  await new SimControl(listening).putRole({ roleArn: 'arn:aws:iam::111122223333:role/x' })
  const ended = once(child, 'exit')
  child.kill(signal)
  expect(await ended).toEqual([0, null])
})

test('it ends itself when the process that it belongs to is gone', async () => {
  using state = temporaryState()
  const parent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  const sim = await spawnCloudSim({ stateFile: state.file, parentPid: parent.pid ?? 0 })
  const control = new SimControl(sim.url)
  expect(await control.health()).toEqual({ status: 'ok' })
  parent.kill('SIGKILL')
  await untilPasses(() => expect(control.health()).rejects.toThrow())
  await sim.stop()
})

test('two simulated clouds never share a state file', async () => {
  using state = temporaryState()
  const sim = await spawnCloudSim({ stateFile: state.file })
  const second = startMain('--state', state.file)
  const [said, [code]] = await Promise.all([text(second.stderr), once(second, 'exit')])
  expect([code, said]).toEqual([1, expect.stringContaining(`cannot start on ${state.file}: database is locked`)])
  await sim.stop()
  const third = await spawnCloudSim({ stateFile: state.file })
  await third.stop()
})

test('a start that cannot be is said in one line', async () => {
  const child = startMain('--port', '0')
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect([code, said]).toEqual([2, expect.stringMatching(/^Usage: .*\n$/)])
})

test('a setting that is changed twice is as it was said last, at once', async () => {
  using state = temporaryState()
  const sim = await spawnCloudSim({ stateFile: state.file })
  const control = new SimControl(sim.url)
  await control.setTiming({ stageSeconds: 7 })
  await control.setTiming({ stageSeconds: 9, requestSeconds: 3 })
  expect(await control.timing()).toMatchObject({ stageSeconds: 9, requestSeconds: 3 })
  await sim.stop()
})
