import {
  CreateSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { GetParametersCommand, PutParameterCommand } from '@aws-sdk/client-ssm'
import { expect, test } from 'vitest'
import { startCloud } from '../testing/cloud.ts'

test('a secret is read by name or ARN, and a missing one is reported', async () => {
  await using cloud = await startCloud()
  const secrets = new SecretsManagerClient(cloud.settings)
  const { ARN } = await secrets.send(new CreateSecretCommand({ Name: 'shop/token', SecretString: 'hush' }))
  expect(ARN).toMatch(/:secret:shop\/token-[A-Za-z0-9]{6}$/)
  for (const SecretId of ['shop/token', ARN]) {
    const found = await secrets.send(new GetSecretValueCommand({ SecretId }))
    expect(found).toMatchObject({ Name: 'shop/token', ARN, SecretString: 'hush', VersionStages: ['AWSCURRENT'] })
    const described = await secrets.send(new DescribeSecretCommand({ SecretId }))
    expect(described).toMatchObject({ Name: 'shop/token', ARN })
    expect(JSON.stringify(described), 'a description has no value').not.toContain('hush')
  }
  await expect(secrets.send(new GetSecretValueCommand({ SecretId: 'shop' }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
    message: "Secrets Manager can't find the specified secret.",
  })
  const again = new CreateSecretCommand({ Name: 'shop/token', SecretString: 'x' })
  await expect(secrets.send(again)).rejects.toMatchObject({ name: 'ResourceExistsException' })
  secrets.destroy()
})

test('several parameters are read at once, and missing ones are named', async () => {
  await using cloud = await startCloud()
  const { ssm } = cloud
  await ssm.send(new PutParameterCommand({ Name: '/shop/password', Value: 'hush', Type: 'SecureString' }))
  const Names = ['/shop/password', '/shop/gone']
  const clear = await ssm.send(new GetParametersCommand({ Names, WithDecryption: true }))
  expect(clear).toMatchObject({
    Parameters: [{ Name: '/shop/password', Value: 'hush' }],
    InvalidParameters: ['/shop/gone'],
  })
  const { Parameters } = await ssm.send(new GetParametersCommand({ Names: ['/shop/password'] }))
  expect(Parameters?.[0]?.Value).not.toContain('hush')
})
