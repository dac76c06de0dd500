import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { untilPasses } from '../../../testing/until-passes.ts'
import { flags } from './flags.ts'
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

test.for(['SIGTERM', 'SIGINT'] as const)('%s ends it even if a client keeps its connection open', async (signal) => {
  using state = temporaryState()
  const child = startMain('--port', '0', '--state', state.file)
  const { listening } = JSON.parse(await firstLine(child)) as { listening: string }
  await new SimControl(listening).putRole({ roleArn: 'arn:aws:iam::111122223333:role/x' })
  const ended = once(child, 'exit')
  child.kill(signal)
  expect(await ended).toEqual([0, null])
})

test('it ends when its parent process is gone', async () => {
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
  const second = startMain('--port', '0', '--state', state.file)
  const [said, [code]] = await Promise.all([text(second.stderr), once(second, 'exit')])
  expect([code, said]).toEqual([1, expect.stringContaining(`cannot start on ${state.file}: database is locked`)])
  await sim.stop()
  const third = await spawnCloudSim({ stateFile: state.file })
  await third.stop()
})

test(
  'an invalid command line is rejected in one line that names the flag and its values',
  everyCase(
    [
      [['--speed', '0'], /^Cannot use the value of --speed: it must be a number above 0 and up to 1000000\.\n$/],
      [['--port', '65536'], /^Cannot use the value of --port: it must be a number from 0 to 65535\.\n$/],
      [['--clock-epoch', 'noon'], /^Cannot use the value of --clock-epoch: it must be an ISO 8601 time\.\n$/],
      [['--programs', '{"a":"node"}'], /^Cannot use the value of --programs: it must be JSON such as .*\n$/],
      [['--seed', 'x'], /^Cannot use the value of --seed: it must be a whole number\.\n$/],
      [['--stat', 'x'], /^Unknown option '--stat'.* Run sluice-cloud-sim --help for the flags\.\n$/],
    ] as const,
    async (flags, message) => {
      const child = startMain('--port', '0', ...flags)
      const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
      expect([code, output]).toEqual([2, expect.stringMatching(message)])
    },
  ),
)

test('a port in use is reported with the flag that selects another', async () => {
  const sim = await spawnCloudSim({ stateFile: ':memory:' })
  const { port } = new URL(sim.url)
  const child = startMain('--port', port)
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect([code, output]).toEqual([1, expect.stringContaining(`port ${port} is in use. Choose another with --port`)])
  await sim.stop()
})

test('--help describes every flag, and --version prints the version', async () => {
  const outputOf = async (flag: string) => {
    const child = startMain(flag)
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    expect(code).toBe(0)
    return output
  }
  const help = await outputOf('--help')
  for (const flag of Object.keys(flags)) expect(help).toContain(`  --${flag}`)
  expect(await outputOf('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('a setting changed twice has the later value at once', async () => {
  using state = temporaryState()
  const sim = await spawnCloudSim({ stateFile: state.file })
  const control = new SimControl(sim.url)
  await control.setTiming({ stageSeconds: 7 })
  await control.setTiming({ stageSeconds: 9, requestSeconds: 3 })
  expect(await control.timing()).toMatchObject({ stageSeconds: 9, requestSeconds: 3 })
  await sim.stop()
})
