import { CreateFunctionCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { expect, test } from 'vitest'
import { account, createRestingService, deploy, region, startCloud, waitForEnd } from '../testing/cloud.ts'

const roleArn = `arn:aws:iam::${account}:role/hooks`
const hook = (name: string) => ({
  targetType: 'AWS_LAMBDA' as const,
  hookTargetArn: `arn:aws:lambda:${region}:${account}:function:${name}`,
  roleArn,
  lifecycleStages: ['POST_SCALE_UP' as const],
})
const blueGreen = (name: string) => ({
  strategy: 'BLUE_GREEN' as const,
  bakeTimeInMinutes: 0,
  lifecycleHooks: [hook(name)],
})

test('a hook that calls a missing function fails, and the deployment rolls back', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const lambda = new LambdaClient(cloud.settings)
  const Code = { S3Bucket: 'artifacts', S3Key: 'check.zip' }
  const made = { Role: roleArn, Runtime: 'nodejs22.x' as const, Handler: 'index.handler', Code }
  await lambda.send(new CreateFunctionCommand({ FunctionName: 'check', ...made }))
  await cloud.control.advance(60)

  const failed = await deploy(cloud, 'web:2', blueGreen('another'))
  expect(await waitForEnd(cloud, failed.arn)).toMatchObject({
    status: 'ROLLBACK_SUCCESSFUL',
    statusReason: expect.stringContaining('a lifecycle hook failed'),
    lifecycleHookDetails: [{ targetType: 'AWS_LAMBDA', status: 'FAILED' }],
  })
  const called = await deploy(cloud, 'web:3', blueGreen('check'))
  expect(await waitForEnd(cloud, called.arn)).toMatchObject({
    status: 'SUCCESSFUL',
    lifecycleHookDetails: [{ targetType: 'AWS_LAMBDA', status: 'SUCCEEDED' }],
  })
  const unpublished = await deploy(cloud, 'web:4', blueGreen('check:live'))
  expect(await waitForEnd(cloud, unpublished.arn)).toMatchObject({ status: 'ROLLBACK_SUCCESSFUL' })
})
