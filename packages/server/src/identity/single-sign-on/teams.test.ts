import { type AuditEvent, apiErrors, type Team, type TeamMember } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpWorldOptions, startHttpWorld } from '../../testing/http-world.ts'
import { startIssuer } from '../../testing/issuer.ts'
import {
  ada,
  begin,
  clientId,
  openCallback,
  organizationWithProvider,
  type Provided,
  signIn,
} from '../../testing/single-sign-on.ts'
import { password, plenty, visitor } from '../../testing/visitor.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
const allow: HttpWorldOptions = { limits: plenty, outboundAllow: ['127.0.0.1'], registration: 'open' }
beforeAll(async () => {
  world = await startHttpWorld(undefined, allow)
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Creates an organization with two teams, each mapped to a group of its provider. */
async function organizationWithTeams() {
  const org = await organizationWithProvider(world, { defaultRole: 'VIEWER' })
  const team = (name: string) => org.client.done<Team>('POST', '/teams', { data: { name } })
  const [web, data] = [await team('web'), await team('data')]
  const map = (groupTeams: { group: string; teamId: string }[]) =>
    org.client.ask('PATCH', `/identity-providers/${org.providerId}`, { data: { groupTeams } })
  const both = [
    { group: 'web-people', teamId: web.id },
    { group: 'data-people', teamId: data.id },
  ]
  expect(await map(both)).toMatchObject({ status: 200, body: { data: { groupTeams: both } } })
  return { org, web, data, map, both }
}

async function enter(org: Provided, groups: string[], name = 'ada') {
  const said = { ...ada, sub: name, email: `${name}@${org.domain}`, groups }
  const { cookie = '' } = await signIn(world, org, said)
  return (await world.ask('/auth/whoami', { headers: { cookie } })).body.data as { membershipId: string }
}

const teamsOf = async ({ client }: Provided, memberId: string) =>
  (await client.done<TeamMember[]>('GET', `/team-members?memberId=${memberId}`))
    .map(({ teamId, source }) => [teamId, source])
    .toSorted()

test('each sign-in adds the user to the teams of their groups and removes them from those of former groups', async () => {
  const { org, web, data } = await organizationWithTeams()
  const { membershipId } = await enter(org, ['web-people'])
  expect(await teamsOf(org, membershipId)).toEqual([[web.id, 'GROUP']])
  await enter(org, ['data-people', 'web-people'])
  await enter(org, ['data-people'])
  expect(await teamsOf(org, membershipId)).toEqual([[data.id, 'GROUP']])
  await enter(org, [])
  expect(await teamsOf(org, membershipId)).toEqual([])

  const lines = await org.client.done<AuditEvent[]>('GET', '/audit-events?resourceType=team&limit=100')
  const own = lines.filter(({ action }) => action.startsWith('team-members.')).toReversed()
  expect(own.map(({ action, resourceId }) => [action, resourceId])).toEqual([
    ['team-members.create', web.id],
    ['team-members.create', data.id],
    ['team-members.delete', web.id],
    ['team-members.delete', data.id],
  ])
  expect(own[0]).toMatchObject({
    actorName: `ada@${org.domain}`,
    details: { memberId: membershipId, source: 'GROUP', identityProviderId: org.providerId },
  })
})

test('manual team members stay, and a member from a group becomes manual when added manually', async () => {
  const { org, web, data } = await organizationWithTeams()
  const { membershipId } = await enter(org, ['web-people'])
  const put = (teamId: string) => org.client.ask('POST', '/team-members', { data: { teamId, memberId: membershipId } })
  expect(await put(data.id)).toMatchObject({ status: 201, body: { data: { source: 'MANUAL' } } })
  expect(await put(web.id)).toMatchObject({ status: 201, body: { data: { source: 'MANUAL' } } })
  expect(await put(web.id)).toMatchObject({ status: 409, body: { code: apiErrors.alreadyInTeam.code } })
  await enter(org, ['data-people'])
  await enter(org, [])
  const hand = [
    [data.id, 'MANUAL'],
    [web.id, 'MANUAL'],
  ].toSorted()
  expect(await teamsOf(org, membershipId)).toEqual(hand)
})

test('the permissions of a team apply at once to users of its group', async () => {
  const { org, web } = await organizationWithTeams()
  const project = await org.client.done<{ id: string }>('POST', '/projects', {
    data: { givenId: 'shop', name: 'Shop' },
  })
  const grant = { principalId: web.id, projectId: project.id, role: 'DEPLOYER' }
  await org.client.done('POST', '/role-grants', { data: grant })
  const may = async (groups: string[]) => {
    const { cookie = '' } = await signIn(world, org, { ...ada, email: `ada@${org.domain}`, groups })
    const { body } = await world.ask(`/permissions?projectId=${project.id}`, { headers: { cookie } })
    return body.data.permissions.includes('deployments:write')
  }
  expect([await may([]), await may(['web-people']), await may(['data-people'])]).toEqual([false, true, false])
})

test('when a mapping, team or provider is deleted, its members leave', async () => {
  const { org, web, data, map, both } = await organizationWithTeams()
  const { membershipId } = await enter(org, ['web-people', 'data-people'])
  await map(both.slice(1))
  expect(await teamsOf(org, membershipId)).toEqual([[data.id, 'GROUP']])
  await map(both)
  await org.client.ask('DELETE', `/teams/${data.id}`)
  const path = `/identity-providers/${org.providerId}`
  expect(await org.client.done('GET', path)).toMatchObject({ groupTeams: [{ group: 'web-people', teamId: web.id }] })
  await enter(org, ['web-people', 'data-people'])
  expect(await teamsOf(org, membershipId)).toEqual([[web.id, 'GROUP']])
  await org.client.ask('DELETE', path)
  expect(await teamsOf(org, membershipId)).toEqual([])
})

test('a group cannot be mapped to a team of another organization', async () => {
  const { org, map } = await organizationWithTeams()
  const { web: strange } = await organizationWithTeams()
  const groupTeams = [{ group: 'web-people', teamId: strange.id }]
  const refused = { status: 422, body: { code: apiErrors.referenceNotFound.code } }
  expect(await map(groupTeams)).toMatchObject(refused)
  await org.client.ask('DELETE', `/identity-providers/${org.providerId}`)
  const data = { name: 'Id', issuer: org.issuer.url, clientId, clientSecret: 'secret', groupTeams }
  expect(await org.client.ask('POST', '/identity-providers', { data })).toMatchObject(refused)
})

test('the operator’s provider adds users to teams of the configured organization by name', async () => {
  const issuer = await startIssuer()
  await using own = await startHttpWorld(undefined, {
    ...allow,
    oidc: {
      SLUICE_OIDC_ISSUER: issuer.url,
      SLUICE_OIDC_CLIENT_ID: clientId,
      SLUICE_OIDC_CLIENT_SECRET: 'secret',
      SLUICE_OIDC_DOMAINS: 'example.com',
      SLUICE_OIDC_ORGANIZATION: 'acme',
      SLUICE_OIDC_GROUP_TEAMS: 'platform=Platform team,nobody=No such team',
      SLUICE_OIDC_DEFAULT_ROLE: 'OWNER',
    },
  })
  await visitor(own).register('boss@other.example', { organizationName: 'Acme', password })
  const enterBy = async (groups: string[]) => {
    const begun = await begin(own, {})
    issuer.onCode(async () => ({
      access_token: 'x',
      token_type: 'bearer',
      id_token: await issuer.sign({ aud: clientId, nonce: begun.asked.nonce, ...ada, groups }),
    }))
    const { cookie = '' } = await openCallback(own, begun, {
      code: 'code',
      state: begun.asked.state ?? '',
      iss: issuer.url,
    })
    return { cookie }
  }
  const first = await enterBy(['platform', 'nobody'])
  const headers = { ...first, 'x-sluice-csrf': '1', 'content-type': 'application/json' }
  const body = JSON.stringify({ data: { name: 'Platform team' } })
  const team = (await own.ask('/teams', { method: 'POST', headers, body })).body.data as Team
  const members = async () =>
    (await own.ask(`/team-members?teamId=${team.id}`, { headers: await enterBy(['other']) })).body.data
  const inTeam = await own.ask(`/team-members?teamId=${team.id}`, { headers: await enterBy(['platform']) })
  expect(inTeam.body.data).toMatchObject([{ source: 'GROUP' }])
  expect(await members()).toEqual([])
  await issuer.close()
})
