import { expect, test } from 'vitest'
import { startStubServer } from '../../testing/stub-server.ts'
import { isRegistered } from './register.ts'

test('a worker is registered only with all of its services: another version may have answered for it', async () => {
  const workerUrl = 'http://worker:9080'
  const services = [{ name: 'deployment' }, { name: 'git-release' }]
  await using server = await startStubServer(() => ({
    body: { deployments: [{ id: 'dp_1', uri: `${workerUrl}/`, services }] },
  }))
  const admin = { url: server.url }
  const withServices = (serviceNames: string[], url = workerUrl) =>
    isRegistered({ admin, workerUrl: url, serviceNames })
  expect(await withServices(['deployment', 'git-release'])).toBe(true)
  expect(await withServices(['deployment'])).toBe(true)
  expect(await withServices(['deployment', 'git-release', 'slack-press']), 'see isRegistered').toBe(false)
  expect(await withServices(['deployment'], 'http://other:9080')).toBe(false)
})
