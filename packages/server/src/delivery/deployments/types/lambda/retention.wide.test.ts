import { CreateAliasCommand } from '@aws-sdk/client-lambda'
import { expect, test } from 'vitest'
import { functionDataOf } from '../../../../testing/functions.ts'
import { eventsOf } from '../../../../testing/world.ts'
import { useFunctions, waitUntilEnded } from './functions.fixture.ts'

const { start } = useFunctions()

/**
 * Creates a function that retains the versions of two releases. Its alias starts at version 1, which no release
 * created.
 */
const keepingTwo = (mayDoAll: boolean) =>
  start(
    { block: { definition: { package_type: 'zip', s3_key: '<< deploy.input.s3_key >>', ...keepTwo } } },
    { mayDoAll },
  )
const keepTwo = { keep_latest_successful_deploy_count: 2 }

test('versions of older releases are deleted, except those that a release can return to', async () => {
  const { org, fn } = await keepingTwo(true)
  const ids: string[] = []
  for (const code of ['v2', 'v3', 'v4']) ids.push((await waitUntilEnded(org, (await fn.deploy(code)).id)).id)
  const third = await org.get(ids[2] ?? '')
  expect(third.status).toBe('SUCCESS')
  expect(await fn.versions(), 'see lambda/retention.ts').toEqual(['1', '3', '4'])
  expect(functionDataOf(third).removedVersions).toEqual([{ version: '2', removedAt: expect.any(String) }])
  expect(eventsOf(third).find(({ stepCode }) => stepCode === 'CLEAN_UP')?.message).toBe(
    'Deleting 1 of 1 older versions: 2.',
  )

  const back = await waitUntilEnded(org, (await org.rollback(third.id)).id)
  expect(back.status).toBe('SUCCESS')
  expect(functionDataOf(back).version).toBe('3')
  expect(await fn.versions()).toEqual(['1', '3', '4'])
})

test('a version with another alias is kept', async () => {
  const { org, fn } = await keepingTwo(true)
  await waitUntilEnded(org, (await fn.deploy('v2')).id)
  const alias = { FunctionName: fn.functionArn, Name: 'other', FunctionVersion: '2' }
  await org.clients.lambda.send(new CreateAliasCommand(alias))
  await waitUntilEnded(org, (await fn.deploy('v3')).id)
  const last = await waitUntilEnded(org, (await fn.deploy('v4')).id)
  expect(last.status).toBe('SUCCESS')
  expect(await fn.versions()).toEqual(['1', '2', '3', '4'])
  expect(functionDataOf(last).removedVersions).toEqual([])
})

test('a role without the permission to delete versions does not fail the release', async () => {
  const { org, fn } = await keepingTwo(false)
  for (const code of ['v2', 'v3']) await waitUntilEnded(org, (await fn.deploy(code)).id)
  const last = await waitUntilEnded(org, (await fn.deploy('v4')).id)
  expect(last).toMatchObject({ status: 'SUCCESS' })
  expect(
    eventsOf(last)
      .filter(({ stepCode }) => stepCode === 'CLEAN_UP')
      .at(-1)?.message,
  ).toMatch(/^Older versions were not all deleted: .*lambda:DeleteFunction/)
  expect(await fn.versions()).toEqual(['1', '2', '3', '4'])
})
