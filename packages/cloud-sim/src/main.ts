#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { seedChance } from './chance.ts'
import { startSimulation } from './simulation.ts'

const usage =
  'sluice-cloud-sim --state <file> [--port 0] [--host 127.0.0.1] [--speed 60] [--clock-epoch <time>] [--seed <number>] [--operator-secret <text>] [--programs <json>] [--check-answers] [--parent-pid <pid>]'
const parentPollMs = 500

const { values } = parseArgs({
  options: {
    state: { type: 'string' },
    port: { type: 'string', default: '0' },
    host: { type: 'string', default: '127.0.0.1' },
    speed: { type: 'string', default: '60' },
    'clock-epoch': { type: 'string' },
    seed: { type: 'string' },
    'operator-secret': { type: 'string' },
    programs: { type: 'string', default: '{}' },
    'check-answers': { type: 'boolean', default: false },
    'parent-pid': { type: 'string' },
  },
})

const epochMs = values['clock-epoch'] === undefined ? undefined : Date.parse(values['clock-epoch'])
if (!values.state || !(Number(values.speed) > 0) || Number.isNaN(epochMs)) {
  console.error(`Usage: ${usage}`)
  process.exit(2)
}

if (values.seed !== undefined) seedChance(Number(values.seed))
const { state: stateFile, host } = values
const options = {
  stateFile,
  host,
  port: Number(values.port),
  speed: Number(values.speed),
  epochMs,
  operatorSecret: values['operator-secret'],
  programs: JSON.parse(values.programs),
  checksAnswers: values['check-answers'],
}
const { url, stop } = await startSimulation(options).catch((error: Error) => {
  console.error(`The simulated cloud cannot start on ${stateFile}: ${error.message}`)
  process.exit(1)
})

const end = () => {
  stop()
  process.exit(0)
}
process.on('SIGTERM', end)
process.on('SIGINT', end)
if (values['parent-pid']) endWith(Number(values['parent-pid']))
console.log(JSON.stringify({ listening: url }))

/** A parent that was killed cannot tell its children: they look. */
function endWith(parentPid: number): void {
  setInterval(() => {
    try {
      process.kill(parentPid, 0)
    } catch {
      end()
    }
  }, parentPollMs)
}
