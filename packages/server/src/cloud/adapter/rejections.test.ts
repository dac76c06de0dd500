import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { startAnsweringCloud } from './answering-cloud.fixture.ts'
import { CloudPermanentError, CloudTransientError } from './cloud-call.ts'
import { stopServiceDeployment } from './ecs/service-deployments.ts'
import { registerTaskDefinition } from './ecs/task-definitions.ts'

const definition = { arn: 'arn:aws:ecs:eu-west-1:000000000001:task-definition/web:1' }
const taken = { answer: { taskDefinition: { taskDefinitionArn: definition.arn, revision: 1, family: 'web' } } }

test(
  'an error at task definition registration is classified',
  everyCase(
    [
      [
        'ClientException',
        'Too many concurrent attempts to create a new revision of the specified family.',
        400,
        'passes',
      ],
      ['ClientException', 'The family is too long.', 400, 'is final'],
      [
        'InvalidParameterException',
        'Too many concurrent attempts to create a new revision of the family.',
        400,
        'is final',
      ],
      ['ThrottlingException', 'Rate exceeded', 400, 'passes'],
      ['ConflictException', 'Another change is under way.', 409, 'is final'],
      ['ServerException', 'Service Unavailable.', 500, 'passes'],
      ['SignatureDoesNotMatch', 'The request signature does not match.', 403, 'passes'],
      ['InvalidSignatureException', 'Signature not yet current.', 403, 'passes'],
      ['AccessDeniedException', 'User is not authorized.', 400, 'is final'],
    ],
    async (code, message, status, what) => {
      await using cloud = await startAnsweringCloud(() => ({ rejection: { code, message, status } }))
      const error = await registerTaskDefinition(cloud.clients.ecs, { family: 'web' }, 'dep_1').catch(
        (thrown) => thrown,
      )
      expect(error).toBeInstanceOf(what === 'passes' ? CloudTransientError : CloudPermanentError)
      expect(cloud.calls).toHaveLength(1)
    },
  ),
)

test('a conflict is transient where the cloud reports two concurrent changes', async () => {
  await using cloud = await startAnsweringCloud(() => ({ rejection: { code: 'ConflictException', status: 409 } }))
  const stop = stopServiceDeployment(cloud.clients.ecs, 'arn:aws:ecs:eu-west-1:000000000001:service-deployment/a/b/c')
  await expect(stop).rejects.toBeInstanceOf(CloudTransientError)
})

test('a server whose clock is wrong signs with the time of the cloud and logs it', async () => {
  const cloudTime = new Date(Date.now() + 20 * 60_000)
  await using cloud = await startAnsweringCloud(({ headers }) => {
    const signedAt = Date.parse(String(headers['x-amz-date']).replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'))
    const isOff = Math.abs(signedAt - cloudTime.getTime()) > 5 * 60_000
    const date = { date: cloudTime.toUTCString() }
    const rejection = { code: 'InvalidSignatureException', message: 'Signature expired', status: 403, headers: date }
    return isOff ? { rejection } : { ...taken, headers: date }
  })

  const first = await registerTaskDefinition(cloud.clients.ecs, { family: 'web' }, 'dep_1')

  expect(first.arn).toBe(definition.arn)
  expect(cloud.calls).toHaveLength(2)
  expect(cloud.logged).toEqual([
    expect.objectContaining({ reason: 'InvalidSignatureException', cloudTime: cloudTime.toUTCString() }),
  ])
  await registerTaskDefinition(cloud.clients.ecs, { family: 'web' }, 'dep_2')
  expect(cloud.calls, 'and goes on doing so').toHaveLength(3)
})
