import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'

// Installs the checkers and generators of `tools/package.json`, which running Sluice does not need, and links them into
// `node_modules`, so that imports and npm scripts find them. Does nothing if they are installed. `npm run tools`.

const root = join(import.meta.dirname, '..')
const tools = join(root, 'tools')
const installed = join(tools, 'node_modules')
/** Holds the hash of the lock file whose packages are installed. */
const stamp = join(installed, '.lock-hash')
const lockHash = hash('sha256', readFileSync(join(tools, 'package-lock.json'), 'utf8'))

if (!isCurrent()) install()
for (const name of directDependencies()) link(join(root, 'node_modules', name), join(installed, name))
const programs = join(root, 'node_modules/.bin')
for (const name of readdirSync(join(installed, '.bin'))) link(join(programs, name), join(installed, '.bin', name))

/** Reports whether the installed packages are those of the lock file. */
function isCurrent(): boolean {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash
}

function install(): void {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', ['ci', ...options], { cwd: tools, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) {
    console.error('The packages of tools/package.json could not be installed. Does the npm registry answer?')
    process.exit(1)
  }
  writeFileSync(stamp, lockHash)
}

function directDependencies(): string[] {
  return Object.keys(JSON.parse(readFileSync(join(tools, 'package.json'), 'utf8')).dependencies)
}

/** Makes a symbolic link, unless npm put something of its own there. */
function link(from: string, to: string): void {
  const found = lstatSync(from, { throwIfNoEntry: false })
  if (found && !found.isSymbolicLink()) return
  if (found && statSync(from, { throwIfNoEntry: false })) return
  rmSync(from, { force: true })
  mkdirSync(dirname(from), { recursive: true })
  symlinkSync(relative(dirname(from), to), from)
}
