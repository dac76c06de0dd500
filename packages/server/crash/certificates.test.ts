import { CreateHostedZoneCommand } from '@aws-sdk/client-route-53'
import type { Certificate, FoundCertificates } from '@sluice/contract'
import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import type { TestOrganization, World } from '../src/testing/world.ts'
import type { Watcher } from './gateway.ts'
import { KillAfterCallWatcher, KillBeforeCallWatcher } from './moments.ts'
import { createAccountUsers, releasesPerKill, startObservedEnvironment } from './parties.ts'
import { PatientClient } from './patient-client.ts'

const region = 'eu-west-1'
/** Time limit in milliseconds, for several starts of the service. */
const withinMs = 120_000

async function settle(world: World, { clients, client, cloudAccountId }: TestOrganization) {
  await clients.names.send(new CreateHostedZoneCommand({ Name: 'example.com', CallerReference: 'one' }))
  return { client: new PatientClient(world.url, client.token), cloudAccountId }
}

async function startCertificates(watcher: Watcher, count: number) {
  const { parties: people, ...world } = await startObservedEnvironment(watcher, createAccountUsers(count, settle), {
    speed: 600,
  })
  return { ...world, parties: people.map((party) => ({ ...party, asked: 0, cloud: world.cloud })) }
}

type Owner = Awaited<ReturnType<typeof startCertificates>>['parties'][number]

async function certify(party: Owner, name: string) {
  const { client, cloud, cloudAccountId, accountNumber } = party
  party.asked += 1
  const data = { cloudAccountId, region, domainName: `${name}.example.com` }
  const { id } = await client.done<Certificate>('POST', '/certificates', { data })
  const look = () => client.done<Certificate>('GET', `/certificates/${id}`)
  await eventually(`the certificate of ${name}`, look, ({ status }) => status === 'ISSUED', withinMs)
  const place = { data: { cloudAccountId, region } }
  // The account has no certificate or record that was not requested.
  expect(await client.done<FoundCertificates>('POST', '/certificates/find', place), name).toEqual({
    found: party.asked,
    added: 0,
  })
  const written = await cloud.calls({
    operation: 'ChangeResourceRecordSets',
    account: accountNumber,
    accepted: true,
  })
  expect(written, name).toHaveLength(party.asked)
}

test('a certificate is requested and validated once, whichever call of the cloud was the last before a kill', async () => {
  const moments = new KillAfterCallWatcher()
  const { service, parties } = await startCertificates(moments, releasesPerKill)
  const count = await moments.killAtEach(service, parties, {
    release: (party, moment) => certify(party, `moment-${moment}`),
  })
  expect(count).toBeGreaterThan(3)
  expect(service.ownEnds).toEqual([])
})

const changes = [/^RequestCertificate$/, /^POST .*\/rrset/]

test('a certificate is requested and validated once, whichever change a kill prevented', async () => {
  const unheard = new KillBeforeCallWatcher()
  const { service, parties } = await startCertificates(unheard, changes.length)
  await unheard.killInsteadOfEach(service, parties, changes, (party, _, nth) => certify(party, `unheard-${nth}`))
})
