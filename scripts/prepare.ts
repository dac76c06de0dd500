import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

// `npm ci` runs this program: it builds the console, the guide and the database that a first start copies, side by side.
// After `npm ci --omit=dev` the libraries of console and guide are missing. The service runs without these pages then.

const root = join(import.meta.dirname, '..')
const hasBuildLibraries = existsSync(join(root, 'node_modules/vite'))
const builds = hasBuildLibraries ? ['console', 'guide', 'server'] : ['server']
if (!hasBuildLibraries) console.log('The console and the guide are not built: their libraries were omitted.')

const exitCodes = await Promise.all(builds.map(build))
process.exitCode = Math.max(...exitCodes)

/** Runs the build of a package and prints what it says if it fails. Returns its exit code. */
function build(name: string): Promise<number> {
  const child = spawn('npm', ['run', '--silent', 'build', '-w', `@sluice/${name}`], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(`The build of ${name} cannot start: ${error.message}`)
      resolve(1)
    })
    child.once('close', (code) => {
      if (code !== 0) console.error(`The build of ${name} failed:\n${Buffer.concat(output)}`)
      resolve(code ?? 1)
    })
  })
}
