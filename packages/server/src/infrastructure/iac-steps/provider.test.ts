import { TagResourceCommand, UpdateServiceCommand } from '@aws-sdk/client-ecs'
import type { Environment, IacResource, ModuleDefinition, ModuleInstance } from '@sluice/contract'
import { expect, test } from 'vitest'
import { missingProviderReason, startProviderWorld, testWithinMs } from '../../testing/provider-world.ts'

const main = `
terraform {
  required_providers { aws = { source = "hashicorp/aws" } }
}
provider "aws" {}
resource "aws_ecs_cluster" "main" { name = "iac" }
resource "aws_ecs_task_definition" "web" {
  family                   = "iac-web"
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = 256
  memory                   = 512
  container_definitions = jsonencode([{
    name = "app", image = "shop/app:1", essential = true, portMappings = [{ containerPort = 8080 }]
  }])
}
resource "aws_lb" "main" {
  name               = "iac"
  load_balancer_type = "application"
  subnets            = ["subnet-0a1b2c3d4e5f60711", "subnet-0a1b2c3d4e5f60712"]
  security_groups    = ["sg-0a1b2c3d4e5f60713"]
}
resource "aws_lb_target_group" "web" {
  name        = "iac-web"
  port        = 8080
  protocol    = "HTTP"
  target_type = "ip"
  vpc_id      = "vpc-0a1b2c3d4e5f60718"
}
resource "aws_lb_listener" "http" {
  load_balancer_arn = aws_lb.main.arn
  port              = 80
  protocol          = "HTTP"
  default_action {
    type = "fixed-response"
    fixed_response {
      content_type = "text/plain"
      message_body = "No such host."
      status_code  = "404"
    }
  }
}
resource "aws_lb_listener_rule" "web" {
  listener_arn = aws_lb_listener.http.arn
  priority     = 10
  action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.web.arn
  }
  condition {
    path_pattern { values = ["/*"] }
  }
}
resource "aws_ecs_service" "web" {
  name            = "web"
  cluster         = aws_ecs_cluster.main.arn
  task_definition = aws_ecs_task_definition.web.arn
  desired_count   = 2
  launch_type     = "FARGATE"
  network_configuration {
    subnets         = ["subnet-0a1b2c3d4e5f60711"]
    security_groups = ["sg-0a1b2c3d4e5f60713"]
  }
  load_balancer {
    target_group_arn = aws_lb_target_group.web.arn
    container_name   = "app"
    container_port   = 8080
  }
  depends_on = [aws_lb_listener_rule.web]
  # Which version runs is for deployments to say.
  lifecycle { ignore_changes = [task_definition] }
}
output "cluster_arn" { value = aws_ecs_cluster.main.arn }
output "service_arn" { value = aws_ecs_service.web.id }
`

test('the AWS provider creates a service that can be released to, detects drift, and destroys it', {
  timeout: testWithinMs,
}, async ({ skip }) => {
  skip(missingProviderReason !== undefined, missingProviderReason)
  await using place = await startProviderWorld({ givenId: 'place', main })
  const { organization, stackId } = place
  const { client, clients } = organization

  const { planned, outputs } = await place.apply<{ cluster_arn: string; service_arn: string }>()
  expect(planned).toMatchObject({ summary: { changeCounts: { CREATE: 7 } } })
  expect(outputs.service_arn).toBe(`arn:aws:ecs:eu-west-1:${organization.accountNumber}:service/iac/web`)
  const resources = await client.done<IacResource[]>('GET', `/iac-resources?stackId=${stackId}&limit=100`)
  const service = resources.find(({ address, runType }) => address === 'aws_ecs_service.web' && runType === 'APPLY')
  expect(service).toMatchObject({
    provider: expect.stringContaining('hashicorp/aws'),
    resourceType: 'aws_ecs_service',
    isInCurrentState: true,
    vendorData: { after: { id: outputs.service_arn } },
  })

  // The created service accepts releases like any other.
  const [definition] = await client.done<ModuleDefinition[]>('GET', '/module-definitions')
  const [environment] = await client.done<Environment[]>('GET', '/environments')
  const instance = await client.done<ModuleInstance>('POST', '/module-instances', {
    data: {
      environmentId: environment?.id,
      moduleDefinitionId: definition?.id,
      moduleVersionId: definition?.latestVersionId,
      givenId: 'web',
      name: 'Web',
      input: { ...outputs, family: 'iac-web' },
    },
  })
  const { id } = await organization.deploy(instance.id)
  expect(await organization.untilStatus(id, 'SUCCESS', 'ERROR')).toMatchObject({ status: 'SUCCESS' })

  const [cluster, name] = [outputs.cluster_arn, outputs.service_arn]
  await clients.ecs.send(new UpdateServiceCommand({ cluster, service: name, desiredCount: 5 }))
  await clients.ecs.send(new TagResourceCommand({ resourceArn: cluster, tags: [{ key: 'by', value: 'hand' }] }))
  const found = await place.drift()
  expect(found?.outputData).toMatchObject({
    has_drifted: true,
    // The target group has gained a load balancer as well.
    drifted: expect.arrayContaining(['aws_ecs_cluster.main', 'aws_ecs_service.web']),
  })
  const drifted = await client.done<IacResource[]>(
    'GET',
    `/iac-resources?pipelineRunId=${found?.pipelineRunId}&limit=100`,
  )
  expect(drifted.find(({ address }) => address === 'aws_ecs_service.web')).toMatchObject({
    driftStatus: 'DRIFTED',
    runType: 'DRIFT',
    vendorData: { before: { desired_count: 2 }, after: { desired_count: 5 } },
  })
  expect(drifted.find(({ address }) => address === 'aws_lb.main')).toMatchObject({ driftStatus: 'IN_SYNC' })

  // Drift that an apply corrects also disappears from earlier results.
  await place.apply()
  const known = await client.done<IacResource[]>('GET', `/iac-resources?stackId=${stackId}&limit=100`)
  const ofCluster = known.filter(
    ({ address, isInCurrentState }) => address === 'aws_ecs_cluster.main' && isInCurrentState,
  )
  expect(new Set(ofCluster.map(({ driftStatus }) => driftStatus))).toEqual(new Set(['IN_SYNC']))

  await place.destroy()
  const left = await client.done<IacResource[]>('GET', `/iac-resources?stackId=${stackId}&limit=100`)
  expect(left.filter(({ isInCurrentState }) => isInCurrentState)).toEqual([])
})
