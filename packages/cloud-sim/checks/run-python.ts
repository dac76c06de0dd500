import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnCloudSim } from '../src/index.ts'

// Usage: node run-python.ts <python> <script>. Runs the script against a simulated cloud and exits with its exit code.
const [python = '', script = ''] = process.argv.slice(2)
const directory = mkdtempSync(join(tmpdir(), 'cloud-sim-boto3-'))
const sim = await spawnCloudSim({ stateFile: join(directory, 'state.db'), speed: 1, checksAnswers: true })
try {
  const check = spawn(python, [script, sim.url], { stdio: 'inherit' })
  const [code] = await once(check, 'exit')
  process.exitCode = code ?? 1
} finally {
  await sim.stop()
  rmSync(directory, { recursive: true, force: true })
}
