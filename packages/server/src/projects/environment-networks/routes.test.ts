import type { EnvironmentNetwork } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../testing/client.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything, type OneOfEverything } from '../../testing/resources.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let mine: OneOfEverything
let client: Client
beforeAll(async () => {
  world = await startHttpWorld()
  mine = await createOneOfEverything(world.db)
  client = new Client(world.url, await addMember(world.db, mine.organizationId, 'OWNER'))
})
afterAll(() => world?.[Symbol.asyncDispose]())

const path = () => `/environments/${mine.byPath.environments}/network`

const network = (more: object = {}) => ({
  cloudAccountId: mine.byPath['cloud-accounts'],
  region: 'eu-west-1',
  network: 'vpc-0a',
  subnets: ['subnet-0a', 'subnet-0b'],
  securityGroups: ['sg-0a'],
  ...more,
})

test('a network can be set, replaced and removed, and the audit log has the changes', async () => {
  await client.ask('DELETE', path())
  expect(await client.done<EnvironmentNetwork>('GET', path())).toEqual({})
  expect(await client.done('PATCH', path(), { data: network() })).toEqual({ default: network() })
  const other = network({ region: 'us-east-1', securityGroups: [] })
  await client.done('PATCH', path(), { data: other })
  expect(await client.done<EnvironmentNetwork>('GET', path())).toEqual({ default: other })
  const [event] = await client.done<object[]>('GET', `/audit-events?resourceId=${mine.byPath.environments}&limit=1`)
  expect(event).toMatchObject({ action: 'environments.set-network', details: other, before: network() })
  await client.ask('DELETE', path())
  expect(await client.done<EnvironmentNetwork>('GET', path())).toEqual({})
})

test('an account of another organization and invalid ids are rejected', async () => {
  const theirs = (await createOneOfEverything(world.db)).byPath['cloud-accounts']
  expect((await client.ask('PATCH', path(), { data: network({ cloudAccountId: theirs }) })).status).toBe(422)
  expect((await client.ask('PATCH', path(), { data: network({ subnets: ['10.0.0.0/24'] }) })).status).toBe(400)
})

test('a deployer can read it but not change it', async () => {
  const developer = new Client(world.url, await addMember(world.db, mine.organizationId, 'DEVELOPER'))
  expect((await developer.ask('GET', path())).status).toBe(200)
  expect((await developer.ask('PATCH', path(), { data: network() })).status).toBe(403)
  expect((await developer.ask('DELETE', path())).status).toBe(403)
})
