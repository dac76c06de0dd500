import {
  BatchGetImageCommand,
  CreatePullThroughCacheRuleCommand,
  CreateRepositoryCommand,
  DescribeImagesCommand,
  DescribePullThroughCacheRulesCommand,
  DescribeRepositoriesCommand,
  ECRClient,
  GetAuthorizationTokenCommand,
  GetDownloadUrlForLayerCommand,
} from '@aws-sdk/client-ecr'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { account, region, startCloud, type TestCloud } from '../testing/cloud.ts'

let cloud: TestCloud
let ecr: ECRClient
beforeAll(async () => {
  cloud = await startCloud()
  ecr = new ECRClient(cloud.settings)
  const images = [
    { tags: ['1.0.0'], secondsAgo: 86_400 },
    { tags: [], secondsAgo: 7_200 },
    { tags: ['1.1.0', 'latest'], secondsAgo: 3_600 },
  ]
  await cloud.control.putRepository({ account, region, name: 'shop/web', images })
  await cloud.control.putRepository({ account, region, name: 'shop/api', images: [] })
})
afterAll(() => cloud?.[Symbol.asyncDispose]())

test('repositories have the address from which images are pulled', async () => {
  const { repositories = [] } = await ecr.send(new DescribeRepositoriesCommand({ repositoryNames: ['shop/web'] }))
  const address = `${account}.dkr.ecr.${region}.amazonaws.com/shop/web`
  expect(repositories).toMatchObject([{ repositoryUri: address, registryId: account }])
  const first = await ecr.send(new DescribeRepositoriesCommand({ maxResults: 1 }))
  const rest = await ecr.send(new DescribeRepositoriesCommand({ maxResults: 1, nextToken: first.nextToken }))
  const names = [first, rest].flatMap(({ repositories = [] }) => repositories.map((one) => one.repositoryName))
  expect(names.sort()).toEqual(['shop/api', 'shop/web'])
  expect(rest.nextToken).toBeUndefined()
})

test('images have their digest, all their tags and their push time', async () => {
  const repositoryName = 'shop/web'
  const { imageDetails = [] } = await ecr.send(new DescribeImagesCommand({ repositoryName }))
  expect(imageDetails).toHaveLength(3)
  const tagged = await ecr.send(new DescribeImagesCommand({ repositoryName, filter: { tagStatus: 'TAGGED' } }))
  const latest = tagged.imageDetails?.find(({ imageTags }) => imageTags?.includes('latest'))
  expect(latest).toMatchObject({
    imageTags: ['1.1.0', 'latest'],
    imageDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  })
  expect(Date.now() - (latest?.imagePushedAt?.getTime() ?? 0)).toBeGreaterThanOrEqual(3_600_000)
  const one = await ecr.send(new DescribeImagesCommand({ repositoryName, imageIds: [{ imageTag: '1.0.0' }] }))
  expect(one.imageDetails).toMatchObject([{ imageTags: ['1.0.0'] }])
  const page = await ecr.send(new DescribeImagesCommand({ repositoryName, maxResults: 2 }))
  const rest = await ecr.send(new DescribeImagesCommand({ repositoryName, maxResults: 2, nextToken: page.nextToken }))
  expect([page.imageDetails?.length, rest.imageDetails?.length, rest.nextToken]).toEqual([2, 1, undefined])
})

test('a repository is created once, and a token contains the push address', async () => {
  const create = new CreateRepositoryCommand({ repositoryName: 'shop/new', imageTagMutability: 'IMMUTABLE' })
  const { repository } = await ecr.send(create)
  const { repositories } = await ecr.send(new DescribeRepositoriesCommand({ repositoryNames: ['shop/new'] }))
  expect(repositories).toEqual([repository])
  expect(repository).toMatchObject({ imageTagMutability: 'IMMUTABLE' })
  await expect(ecr.send(create)).rejects.toMatchObject({ name: 'RepositoryAlreadyExistsException' })
  const { authorizationData = [] } = await ecr.send(new GetAuthorizationTokenCommand({}))
  const [{ authorizationToken = '', proxyEndpoint } = {}] = authorizationData
  expect(Buffer.from(authorizationToken, 'base64').toString()).toMatch(/^AWS:.{64}$/)
  expect(proxyEndpoint).toBe(`https://${account}.dkr.ecr.${region}.amazonaws.com`)
})

test(
  'an invalid request for images is rejected as the cloud rejects it',
  everyCase(
    [
      [{ repositoryName: 'shop/none' }, 'RepositoryNotFoundException'],
      [{ repositoryName: 'shop/web', registryId: '999999999999' }, 'RepositoryNotFoundException'],
      [{ repositoryName: 'shop/web', imageIds: [{ imageTag: '9' }] }, 'ImageNotFoundException'],
      [{ repositoryName: 'shop/web', nextToken: 'made-up' }, 'InvalidParameterException'],
      [{ repositoryName: 'Shop' }, 'InvalidParameterException'],
    ],
    async (input, name) => {
      await expect(ecr.send(new DescribeImagesCommand(input))).rejects.toMatchObject({ name })
    },
  ),
)

test('the manifest of an image contains its architectures, or the configuration with the only one', async () => {
  const repositoryName = 'shop/platforms'
  const images = [
    { tags: ['one'], secondsAgo: 60, architectures: ['arm64'] },
    { tags: ['both'], secondsAgo: 60, architectures: ['amd64', 'arm64'] },
  ]
  await cloud.control.putRepository({ account, region, name: repositoryName, images })
  const imageIds = ['one', 'both', 'none'].map((imageTag) => ({ imageTag }))
  const answer = await ecr.send(new BatchGetImageCommand({ repositoryName, imageIds }))
  expect(answer.failures).toMatchObject([{ imageId: { imageTag: 'none' }, failureCode: 'ImageNotFound' }])
  const manifests = new Map(
    (answer.images ?? []).map(({ imageId, imageManifest = '' }) => [imageId?.imageTag, JSON.parse(imageManifest)]),
  )
  const platforms = manifests.get('both').manifests.map((one: { platform: object }) => one.platform)
  expect(platforms).toEqual(['amd64', 'arm64'].map((architecture) => ({ architecture, os: 'linux' })))

  const layerDigest = manifests.get('one').config.digest
  const { downloadUrl = '' } = await ecr.send(new GetDownloadUrlForLayerCommand({ repositoryName, layerDigest }))
  expect(await (await fetch(downloadUrl)).json()).toMatchObject({ architecture: 'arm64', os: 'linux' })
  const unknown = new GetDownloadUrlForLayerCommand({ repositoryName, layerDigest: `sha256:${'0'.repeat(64)}` })
  await expect(ecr.send(unknown)).rejects.toMatchObject({ name: 'LayersNotFoundException' })
})

test('a pull through cache rule is created once and described', async () => {
  const rule = { ecrRepositoryPrefix: 'docker-hub', upstreamRegistryUrl: 'registry-1.docker.io' }
  await ecr.send(new CreatePullThroughCacheRuleCommand(rule))
  const { pullThroughCacheRules } = await ecr.send(new DescribePullThroughCacheRulesCommand({}))
  expect(pullThroughCacheRules).toMatchObject([{ ...rule, registryId: account }])
  await expect(ecr.send(new CreatePullThroughCacheRuleCommand(rule))).rejects.toMatchObject({
    name: 'PullThroughCacheRuleAlreadyExistsException',
  })
  const unknown = new DescribePullThroughCacheRulesCommand({ ecrRepositoryPrefixes: ['other'] })
  await expect(ecr.send(unknown)).rejects.toMatchObject({ name: 'PullThroughCacheRuleNotFoundException' })
})
