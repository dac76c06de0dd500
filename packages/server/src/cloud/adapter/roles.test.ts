import { expect, test } from 'vitest'
import { startStubServer } from '../../testing/stub-server.ts'
import { openCloud } from './access.ts'
import { CloudPermanentError, callCloud, NoCredentials } from './cloud-call.ts'

const account = {
  id: 'ca_1',
  organizationId: 'org_1',
  roleArn: 'arn:aws:iam::123456789012:role/sluice',
  externalId: 'the external id',
}
const disabled = `<ErrorResponse><Error><Type>Sender</Type><Code>RegionDisabledException</Code>
<Message>STS is not activated in this region for account:123456789012.</Message></Error></ErrorResponse>`
const session = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>AK</AccessKeyId>
<SecretAccessKey>SK</SecretAccessKey><SessionToken>ST</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>
</Credentials></AssumeRoleResult></AssumeRoleResponse>`

test('a region that the account has not enabled is named with the remedy and does not affect other regions', async () => {
  process.env.AWS_ACCESS_KEY_ID = 'operator'
  process.env.AWS_SECRET_ACCESS_KEY = 'operator'
  await using server = await startStubServer(({ headers }) =>
    String(headers.authorization).includes('/eu-south-2/') ? { status: 403, text: disabled } : { text: session },
  )
  const cloud = openCloud({ endpoint: server.url })
  const credentialsIn = (region: string) => cloud.clientsFor(account, region).ecs.config.credentials()
  const error = await credentialsIn('eu-south-2').catch((thrown) => thrown)
  expect(error).toBeInstanceOf(CloudPermanentError)
  expect(error.message).toMatch(/^The region eu-south-2 is not enabled in the cloud account 123456789012: enable it/)
  expect(await credentialsIn('eu-west-1')).toMatchObject({ accessKeyId: 'AK' })
  cloud.close()
})

test('a server without credentials of its own reports this and explains how to configure them', async () => {
  const none = Object.assign(new Error('Could not load credentials from any providers'), {
    name: 'CredentialsProviderError',
  })
  const error = await callCloud(() => Promise.reject(none)).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(NoCredentials)
  expect(error.message).toMatch(/^The server has no cloud credentials.* AWS_ACCESS_KEY_ID/)
})

test('the server reports the account of its own credentials', async () => {
  process.env.AWS_ACCESS_KEY_ID = 'operator'
  process.env.AWS_SECRET_ACCESS_KEY = 'operator'
  const identity = `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>111122223333</Account>
  <Arn>arn:aws:iam::111122223333:user/operator</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`
  await using server = await startStubServer(() => ({ text: identity }))
  const cloud = openCloud({ endpoint: server.url })
  expect(await cloud.ownAccount()).toBe('111122223333')
  cloud.close()
})
