import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { seedFor } from '../crash/random.ts'
import { figuresOf, longestWaits } from './figures.ts'
import { storm } from './storm.ts'

const minutes = Number(process.env.STORM_MINUTES ?? 2)
/** Of users, each with five services. */
const organizations = Number(process.env.STORM_ORGANIZATIONS ?? 2)

test(`in ${minutes} minutes of storm nothing is lost, nothing is done twice, and no end changes`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-storm-'))
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') console.log(`what the processes wrote: ${directory}`)
    else if (process.env.KEEP) console.log(directory)
    else await rm(directory, { recursive: true, force: true })
  })
  const seed = seedFor('storm')
  const weathered = await storm({ minutes, seed, organizations, directory })
  console.log(longestWaits(weathered))
  console.log(`storm of ${minutes} min, seed ${seed}: ${figuresOf(weathered)}`)
  expect(weathered.violations).toEqual([])
  expect(weathered.deployments).toBeGreaterThan(0)
  expect(weathered.runs).toBeGreaterThan(0)
  expect(weathered.blows.length).toBeGreaterThan(10)
})
