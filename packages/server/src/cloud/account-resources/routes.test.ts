import {
  apiErrors,
  type CloudNetworks,
  failures,
  type ImageRepositories,
  type Images,
  type ValueOption,
} from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
let org: TestOrganization
beforeAll(async () => {
  world = await sharedWorld()
  org = await world.organization({ delivery: false })
  const place = { account: org.accountNumber, region }
  await world.cloud.putNetwork({
    ...place,
    id: 'vpc-0a1b2c3d4e5f60718',
    name: 'shop',
    cidr: '10.0.0.0/16',
    subnets: [
      { id: 'subnet-0b', cidr: '10.0.1.0/24', zone: 'b', isPublic: true },
      { id: 'subnet-0a', cidr: '10.0.0.0/24', zone: 'a', isPublic: false, name: 'inside', taken: 200 },
    ],
    securityGroups: [{ id: 'sg-0a', name: 'web', description: 'What users reach' }],
  })
  const images = [
    { tags: ['1.0.0'], secondsAgo: 86_400 },
    { tags: ['1.1.0', 'latest'], secondsAgo: 60 },
    { tags: [], secondsAgo: 3_600 },
    { tags: ['1.0.1'], secondsAgo: 7_200 },
  ]
  await world.cloud.putRepository({ ...place, name: 'shop/web', images })
})

const region = 'eu-west-1'

async function read<T>(path: string, { client, cloudAccountId } = org): Promise<T> {
  const { status, body } = await client.ask('GET', `/cloud-accounts/${cloudAccountId}/${path}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as T
}

const offered = (path: string, query: Record<string, string>) =>
  org.client.done<ValueOption[]>('GET', `/values/cloud/${path}?${new URLSearchParams(query)}`)

describe('listing networks', () => {
  test('returns the default network and the account’s own, with public subnets and free addresses', async () => {
    const { data, meta } = await read<CloudNetworks>(`networks?region=${region}`)
    expect(data).toMatchObject([{ isDefault: true, cidr: '172.31.0.0/16' }, { isDefault: false }])
    expect(data[0]?.subnets.map(({ isPublic }) => isPublic)).toEqual([true, true, true])
    expect(data[1]).toEqual({
      id: 'vpc-0a1b2c3d4e5f60718',
      name: 'shop',
      cidr: '10.0.0.0/16',
      isDefault: false,
      subnets: [
        {
          id: 'subnet-0a',
          name: 'inside',
          cidr: '10.0.0.0/24',
          zone: 'eu-west-1a',
          isPublic: false,
          availableIpAddressCount: 51,
        },
        { id: 'subnet-0b', cidr: '10.0.1.0/24', zone: 'eu-west-1b', isPublic: true, availableIpAddressCount: 251 },
      ],
      securityGroups: [{ id: 'sg-0a', name: 'web', description: 'What users reach' }],
    })
    expect(meta).toEqual({ observedAt: expect.any(String), isComplete: true })
  })

  test('shares one cloud read among concurrent and recent requests, separately per region', async () => {
    await read<CloudNetworks>('networks?region=eu-west-2')
    await Promise.all(Array.from({ length: 20 }, () => read<CloudNetworks>('networks?region=eu-west-2')))
    const calls = await org.calls('DescribeVpcs')
    expect(calls.filter((call) => call.region === 'eu-west-2')).toHaveLength(1)
    const { data } = await read<CloudNetworks>('networks?region=eu-west-2')
    expect(data).toHaveLength(1)
  })

  test('reports the message of the cloud when the role may not read networks', async () => {
    const other = await world.organization({ delivery: false })
    await other.fault({ kind: 'access-denied', operation: 'DescribeSubnets', times: 1 })
    const refused = await read<CloudNetworks>(`networks?region=${region}`, other)
    expect(refused).toMatchObject({ data: [], meta: { error: { code: failures.resourcesNotShown.code } } })
    await other.fault({ kind: 'throttle', operation: 'DescribeVpcs', times: 1 })
    const away = await read<CloudNetworks>(`networks?region=${region}`, other)
    expect(away.meta.error?.code).toBe(apiErrors.cloudUnreachable.code)
    expect((await read<CloudNetworks>(`networks?region=${region}`, other)).data).toHaveLength(1)
  })

  test('reports that the account is not connected', async () => {
    const data = { givenId: 'new', name: 'New' }
    const { id } = await org.client.done<{ id: string }>('POST', '/cloud-accounts', { data })
    const { meta } = await read<CloudNetworks>(`networks?region=${region}`, {
      ...org,
      client: org.client,
      cloudAccountId: id,
    } as TestOrganization)
    expect(meta.error?.code).toBe(apiErrors.cloudAccountNotConnected.code)
  })
})

describe('listing images', () => {
  const address = () => `${org.accountNumber}.dkr.ecr.${region}.amazonaws.com/shop/web`

  test('returns tagged images by repository, newest first', async () => {
    const repositories = await read<ImageRepositories>(`image-repositories?region=${region}`)
    expect(repositories.data).toEqual([{ name: 'shop/web', address: address() }])
    const { data } = await read<Images>(`images?region=${region}&repository=shop/web`)
    expect(data.map(({ tags }) => tags)).toEqual([['1.1.0', 'latest'], ['1.0.1'], ['1.0.0']])
    expect(data[0]).toMatchObject({ digest: expect.stringMatching(/^sha256:/), pushedAt: expect.stringMatching(/Z$/) })
  })

  test('reports the message of the cloud for a repository that does not exist', async () => {
    const { data, meta } = await read<Images>(`images?region=${region}&repository=shop/none`)
    expect([data, meta.error?.message]).toEqual([[], expect.stringContaining("'shop/none' does not exist")])
  })
})

describe('form options', () => {
  const place = () => ({ cloudAccountId: org.cloudAccountId, region })

  test('list networks, subnets by access, and security groups', async () => {
    expect(await offered('networks', place())).toContainEqual({
      value: 'vpc-0a1b2c3d4e5f60718',
      label: 'shop (vpc-0a1b2c3d4e5f60718), 10.0.0.0/16',
    })
    const inside = { ...place(), networkId: 'vpc-0a1b2c3d4e5f60718', access: 'private' }
    expect(await offered('subnets', inside)).toEqual([
      {
        value: 'subnet-0a',
        label: 'inside (subnet-0a), eu-west-1a, private',
        description: '10.0.0.0/24, 51 addresses free',
      },
    ])
    expect(await offered('subnets', place())).toHaveLength(5)
    const groups = await offered('security_groups', { ...place(), networkId: 'vpc-0a1b2c3d4e5f60718' })
    expect(groups).toEqual([{ value: 'sg-0a', label: 'web (sg-0a)', description: 'What users reach' }])
  })

  test('list repositories, and the tags of one repository with their push times', async () => {
    const [repository] = await offered('image_repositories', place())
    const address = `${org.accountNumber}.dkr.ecr.${region}.amazonaws.com/shop/web`
    expect(repository).toEqual({ value: address, label: 'shop/web', description: address })
    const tags = await offered('images', { repository: address })
    expect(tags.map(({ value }) => value)).toEqual(['1.1.0', 'latest', '1.0.1', '1.0.0'])
    expect(tags[0]?.label).toMatch(/^1\.1\.0, pushed \d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
  })

  test('are empty when nothing is selected or the account belongs to another organization', async () => {
    const other = await world.organization({ delivery: false })
    const theirs = { cloudAccountId: other.cloudAccountId, region }
    expect(await offered('networks', theirs)).toEqual([])
    expect(await offered('subnets', { cloudAccountId: org.cloudAccountId })).toEqual([])
    expect(await offered('image_repositories', theirs)).toEqual([])
    expect(await offered('images', { repository: `${other.accountNumber}.dkr.ecr.${region}.amazonaws.com/a` })).toEqual(
      [],
    )
    expect(await offered('images', {})).toEqual([])
  })

  test('default to the first account in the list', async () => {
    expect(await offered('networks', { region })).toEqual(await offered('networks', place()))
  })

  test('carry the message of the cloud when it denies access', async () => {
    const repository = `${org.accountNumber}.dkr.ecr.${region}.amazonaws.com/shop/none`
    const { status, body } = await org.client.ask('GET', `/values/cloud/images?repository=${repository}`)
    expect([status, body]).toMatchObject([422, { code: apiErrors.accountOffersRefused.code }])
  })
})
