import type { Deployment } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { eventsOf, sharedWorld, stepsOf, type World } from '../../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const warningsOf = (deployment: Deployment) =>
  eventsOf(deployment).flatMap(({ stepCode, message }) => (stepCode === 'WARNING' ? [message] : []))

/** Creates an organization with an image for each architecture. */
async function withImages() {
  const org = await world.organization()
  const place = { account: org.accountNumber, region: 'eu-west-1', name: 'shop/app' }
  const images = [
    { tags: ['amd'], secondsAgo: 60 },
    { tags: ['arm'], secondsAgo: 60, architectures: ['arm64'] },
  ]
  await world.cloud.putRepository({ ...place, images })
  return { org, repository: `${org.accountNumber}.dkr.ecr.eu-west-1.amazonaws.com/shop/app` }
}

test('a release whose tasks cannot start ends before anything is changed', async () => {
  const { org, repository } = await withImages()
  const { moduleInstanceId } = await org.service()
  const registered = (await org.calls('RegisterTaskDefinition')).length

  const over = await org.untilStatus((await org.deploy(moduleInstanceId, `${repository}:arm`)).id, 'ERROR', 'SUCCESS')

  expect(over.error).toMatchObject({
    code: 'Sluice:Deployments:CHECK_FAILED',
    message: expect.stringMatching(/^The release cannot start\. The image .*:arm is for arm64, but .* amd64\.$/),
    description: expect.stringMatching(/^Build the image for amd64.* The service was not changed\.$/),
    metadata: { check: 'IMAGE_ARCHITECTURE_WRONG', path: 'deploy.task_definition.container_definitions[0].image' },
  })
  expect(stepsOf(over)).not.toContain('REGISTER_RELEASE')
  expect(await org.calls('RegisterTaskDefinition')).toHaveLength(registered)
  expect(await org.calls('UpdateService')).toEqual([])
})

test('the error names every reason', async () => {
  const { org, repository } = await withImages()
  const missing = `arn:aws:iam::${org.accountNumber}:role/missing`
  const { moduleInstanceId } = await org.service(null, { change: { execution_role_arn: missing } })

  const over = await org.untilStatus((await org.deploy(moduleInstanceId, `${repository}:none`)).id, 'ERROR', 'SUCCESS')

  const lines = (over.error?.details ?? []).flatMap(({ items = [] }) => items)
  expect(`${over.error?.message} ${lines.join(' ')}`).toMatch(
    /shop\/app:none does not exist.*role\/missing does not exist/,
  )
})

test('a part that cannot be checked neither blocks a release nor causes a warning', async () => {
  const { org, repository } = await withImages()
  const { moduleInstanceId } = await org.service()
  await org.deny('iam:GetRole')

  const over = await org.untilStatus((await org.deploy(moduleInstanceId, `${repository}:amd`)).id, 'ERROR', 'SUCCESS')

  expect(over.error).toBeUndefined()
  expect(warningsOf(over)).toEqual([])
})
