import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts'
import { expect, test } from 'vitest'
import { startCloud } from '../testing/cloud.ts'

const RoleArn = 'arn:aws:iam::111122223333:role/long'

test('a role assumed by another role lasts at most an hour', async () => {
  await using cloud = await startCloud()
  await cloud.control.putRole({ roleArn: RoleArn, maxSessionSeconds: 43_200 })
  const asked = (DurationSeconds: number) => new AssumeRoleCommand({ RoleArn, RoleSessionName: 'one', DurationSeconds })
  const { Credentials } = await cloud.sts.send(asked(43_200))
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {}
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  const chained = new STSClient({ ...cloud.settings, credentials })
  await expect(chained.send(asked(3601))).rejects.toMatchObject({
    name: 'ValidationError',
    message: expect.stringContaining('1 hour session limit for roles assumed by role chaining'),
  })
  await expect(chained.send(asked(3600))).resolves.toBeDefined()
})
