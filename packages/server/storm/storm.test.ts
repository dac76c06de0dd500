import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { suiteSeed } from '../crash/random.ts'
import { figuresOf, waitTimesByOperation } from './figures.ts'
import { storm } from './storm.ts'

const minutes = positive('STORM_MINUTES', 2)
/** Number of organizations, each with five services. */
const organizations = positive('STORM_ORGANIZATIONS', 2)

test(`in ${minutes} minutes of storm nothing is lost, nothing is done twice, and no end changes`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-storm-'))
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') console.log(`what the processes wrote: ${directory}`)
    else await rm(directory, { recursive: true, force: true })
  })
  const seed = suiteSeed()
  const weathered = await storm({ minutes, seed, organizations, directory })
  console.log(waitTimesByOperation(weathered))
  console.log(`storm of ${minutes} min, seed ${seed}: ${figuresOf(weathered)}`)
  expect(weathered.violations).toEqual([])
  expect(weathered.deployments).toBeGreaterThan(0)
  expect(weathered.runs).toBeGreaterThan(0)
  expect(weathered.blows.length).toBeGreaterThan(10)
})

function positive(variable: string, usual: number): number {
  const given = Number(process.env[variable] ?? usual)
  if (!(given > 0)) throw new Error(`${variable} must be a number above 0, not ${process.env[variable]}`)
  return given
}
