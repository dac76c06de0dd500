import { GetAliasCommand } from '@aws-sdk/client-lambda'
import { expect, test } from 'vitest'
import { createReleaseDocument } from '../../../demo/machines.ts'
import { functionInstance } from '../../testing/functions.ts'
import { groupInstance, runsOf, untilReachable } from '../../testing/machine-group.ts'
import { missingProviderReason, startProviderWorld, testWithinMs } from '../../testing/provider-world.ts'

const main = `
terraform {
  required_providers { aws = { source = "hashicorp/aws" } }
}
provider "aws" {}
data "aws_caller_identity" "own" {}
resource "aws_lambda_function" "thumbnails" {
  function_name = "thumbnails"
  role          = "arn:aws:iam::\${data.aws_caller_identity.own.account_id}:role/thumbnails"
  runtime       = "nodejs22.x"
  handler       = "index.handler"
  s3_bucket     = "artifacts"
  s3_key        = "v1.zip"
  publish       = true
  timeout       = 10
  tags          = { team = "media" }
  # Which code runs is for deployments to say.
  lifecycle { ignore_changes = [s3_key] }
}
resource "aws_lambda_alias" "live" {
  name             = "live"
  function_name    = aws_lambda_function.thumbnails.function_name
  function_version = aws_lambda_function.thumbnails.version
  lifecycle { ignore_changes = [function_version, routing_config] }
}
resource "aws_autoscaling_group" "workers" {
  name                = "workers"
  min_size            = 1
  max_size            = 4
  desired_capacity    = 2
  vpc_zone_identifier = ["subnet-0a1b2c3d4e5f60711"]
  launch_template {
    id      = "lt-0a1b2c3d4e5f60718"
    version = "1"
  }
  tag {
    key                 = "team"
    value               = "media"
    propagate_at_launch = true
  }
}
output "function_arn" { value = aws_lambda_function.thumbnails.arn }
`

test('a function and an Auto Scaling group are created, released to, unchanged by the next plan, and destroyed', {
  timeout: testWithinMs,
}, async ({ skip }) => {
  skip(missingProviderReason !== undefined, missingProviderReason)
  await using place = await startProviderWorld({ givenId: 'place', main })
  const { world, organization } = place
  const { clients } = organization
  const { outputs } = await place.apply<{ function_arn: string }>()
  const { function_arn } = outputs

  const fn = await functionInstance(organization, 'thumbnails', { function_arn, artifact_bucket: 'artifacts' })
  const { id } = await fn.deploy('v2')
  expect(await organization.untilStatus(id, 'SUCCESS', 'ERROR')).toMatchObject({ status: 'SUCCESS' })
  const alias = new GetAliasCommand({ FunctionName: function_arn, Name: 'live' })
  expect(await clients.lambda.send(alias)).toMatchObject({ FunctionVersion: '2' })

  await createReleaseDocument(clients, { name: 'workers', runtime: 'container' })
  const group = await groupInstance(world, organization, 'workers')
  await untilReachable(organization, group, 2)
  const release = await organization.deploy(group.moduleInstanceId, 'shop/worker:2')
  expect(await organization.untilStatus(release.id, 'SUCCESS', 'ERROR')).toMatchObject({ status: 'SUCCESS' })
  expect(await runsOf(world, group)).toEqual(['shop/worker:2', 'shop/worker:2'])

  expect(await place.plan()).toMatchObject({ has_changes: false })
  await place.destroy()
  await expect(clients.lambda.send(alias)).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
})
