import { CreateHostedZoneCommand } from '@aws-sdk/client-route-53'
import type { Certificate, CloudAccount, FoundCertificates } from '@sluice/contract'
import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { openGateway, type Watcher } from './gateway.ts'
import { Moments, NeverHeard } from './moments.ts'
import { PatientClient } from './patient-client.ts'

const region = 'eu-west-1'
/** Some starts of the service. Milliseconds. */
const withinMs = 120_000

async function settle(world: World) {
  const { clients, client } = await world.organization({ delivery: false })
  await clients.names.send(new CreateHostedZoneCommand({ Name: 'example.com', CallerReference: 'one' }))
  return new PatientClient(world.url, client.token)
}

async function startCertificates(watcher: Watcher) {
  const world = await startCrashWorld({
    speed: 600,
    people: settle,
    gateway: (cloudUrl) => openGateway(cloudUrl, watcher),
  })
  const { service, cloud, people: client } = world
  const [account] = await client.done<CloudAccount[]>('GET', '/cloud-accounts')
  const cloudAccountId = account?.id
  let asked = 0
  return {
    service,
    async certify(name: string) {
      asked += 1
      const data = { cloudAccountId, region, domainName: `${name}.example.com` }
      const { id } = await client.done<Certificate>('POST', '/certificates', { data })
      const look = () => client.done<Certificate>('GET', `/certificates/${id}`)
      await eventually(`the certificate of ${name}`, look, ({ status }) => status === 'ISSUED', withinMs)
      const place = { data: { cloudAccountId, region } }
      // The account has no certificate and no record more than were asked for.
      expect(await client.done<FoundCertificates>('POST', '/certificates/find', place), name).toEqual({
        found: asked,
        added: 0,
      })
      const written = await cloud.calls({ operation: 'ChangeResourceRecordSets', accepted: true })
      expect(written, name).toHaveLength(asked)
    },
  }
}

test('a certificate is made and proven once, whichever call is the last that the cloud did before a kill', async () => {
  const moments = new Moments()
  const { service, certify } = await startCertificates(moments)
  await moments.killAtEach(service, { release: (moment) => certify(`moment-${moment}`) })
  expect(service.kills).toBeGreaterThan(3)
  expect(service.ownEnds).toEqual([])
})

test('a certificate is made and proven once, whichever change the cloud never heard of for a kill', async () => {
  const unheard = new NeverHeard()
  const { service, certify } = await startCertificates(unheard)
  const changes = [/^RequestCertificate$/, /^POST .*\/rrset/]
  await unheard.killInsteadOfEach(service, changes, (_, index) => certify(`unheard-${index}`))
})
