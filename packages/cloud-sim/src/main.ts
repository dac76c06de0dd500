#!/usr/bin/env node
import { seedChance } from './chance.ts'
import { FlagError, readCommandLine } from './flags.ts'
import { startSimulation } from './simulation.ts'

const parentPollMs = 500

const commandLine = read()
if ('text' in commandLine) {
  console.log(commandLine.text)
  process.exit(0)
}
const { options, seed, parentPid } = commandLine
if (seed !== undefined) seedChance(seed)
const { url, stop } = await startSimulation(options).catch((error: NodeJS.ErrnoException) => {
  console.error(startFailure(error))
  process.exit(1)
})

const end = () => {
  stop()
  process.exit(0)
}
process.on('SIGTERM', end)
process.on('SIGINT', end)
if (parentPid !== undefined) endWith(parentPid)
console.log(JSON.stringify({ listening: url }))

function read() {
  try {
    return readCommandLine(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof FlagError)) throw error
    console.error(error.message)
    process.exit(2)
  }
}

function startFailure({ code, message }: NodeJS.ErrnoException): string {
  const { port, stateFile } = options
  if (code !== 'EADDRINUSE') return `The simulated cloud cannot start on ${stateFile}: ${message}`
  return `The simulated cloud cannot start: port ${port} is in use. Choose another with --port; 0 takes any free port.`
}

/** Polls the parent, because a parent that was killed cannot signal its children. */
function endWith(pid: number): void {
  setInterval(() => {
    try {
      process.kill(pid, 0)
    } catch {
      end()
    }
  }, parentPollMs)
}
