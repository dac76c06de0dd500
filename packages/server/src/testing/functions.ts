import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type AliasConfiguration, GetAliasCommand, ListVersionsByFunctionCommand } from '@aws-sdk/client-lambda'
import type { Deployment, Environment, LambdaDeploymentData, ModuleInstance, ModuleVersion } from '@sluice/contract'
import { parse } from 'yaml'
import { createFunction } from '../../demo/functions.ts'
import type { TestOrganization } from './world.ts'

/** Lambda function whose alias `live` points to version 1, and the module instance that releases to it. */
export type TestFunction = {
  moduleInstanceId: string
  functionArn: string
  deploy(code?: string): Promise<Deployment>
  /** Reads the alias from the cloud. */
  alias(): Promise<AliasConfiguration>
  /** Lists the numbers of the published versions. */
  versions(): Promise<string[]>
}

export type TestFunctionOptions = {
  packageType?: 'zip' | 'image'
  strategy?: Record<string, unknown> | null
  /** Changed inputs of the instance. */
  change?: Record<string, unknown>
  /** Changes to the deploy block of the module. */
  block?: Record<string, unknown>
}

export async function testFunction(
  organization: TestOrganization,
  { packageType = 'zip', strategy = null, change = {}, block = {} }: TestFunctionOptions = {},
): Promise<TestFunction> {
  const { clients, accountNumber } = organization
  const name = `f${randomBytes(4).toString('hex')}`
  const bucket = `artifacts-${name}`
  const code =
    packageType === 'image' ? { ImageUri: imageOf(organization, name, 'v1') } : { S3Bucket: bucket, S3Key: 'v1.zip' }
  const function_arn = await createFunction(clients.lambda, { name, accountNumber, code })
  const place = packageType === 'image' ? { function_arn } : { function_arn, artifact_bucket: bucket }
  return functionInstance(organization, name, { ...place, package_type: packageType, strategy, ...change }, block)
}

const imageOf = ({ accountNumber }: TestOrganization, name: string, tag: string) =>
  `${accountNumber}.dkr.ecr.eu-west-1.amazonaws.com/${name}:${tag}`

type FunctionInput = { function_arn: string; package_type?: string; [name: string]: unknown }

/** Creates a module instance for an existing function. */
export async function functionInstance(
  organization: TestOrganization,
  name: string,
  input: FunctionInput,
  block: Record<string, unknown> = {},
): Promise<TestFunction> {
  const { client, clients } = organization
  const version = await publishFunctionModule(organization, name, block)
  const [environment] = await client.done<Environment[]>('GET', '/environments')
  const { moduleDefinitionId, id: moduleVersionId } = version
  const { id: moduleInstanceId } = await client.done<ModuleInstance>('POST', '/module-instances', {
    data: { environmentId: environment?.id, moduleDefinitionId, moduleVersionId, givenId: name, name, input },
  })
  const FunctionName = input.function_arn
  const inputsOf = (what: string) =>
    input.package_type === 'image' ? { image_uri: imageOf(organization, name, what) } : { s3_key: `${what}.zip` }
  return {
    moduleInstanceId,
    functionArn: input.function_arn,
    deploy: (what = 'v2') =>
      client.done<Deployment>('POST', '/deployments', {
        data: { moduleInstanceId, description: `Release ${what}`, inputs: inputsOf(what) },
      }),
    alias: () => clients.lambda.send(new GetAliasCommand({ FunctionName, Name: 'live' })),
    async versions() {
      const { Versions = [] } = await clients.lambda.send(new ListVersionsByFunctionCommand({ FunctionName }))
      return Versions.flatMap(({ Version }) => (Version === undefined || Version === '$LATEST' ? [] : [Version]))
    },
  }
}

/** Publishes the test module `function` under a unique type, with changes to its deploy block. */
async function publishFunctionModule(
  { client }: TestOrganization,
  type: string,
  change: Record<string, unknown>,
): Promise<ModuleVersion> {
  const config = await readFunctionModule()
  const definition = { type, name: 'Function', description: 'A function with an alias.' }
  const { id: moduleDefinitionId } = await client.done<{ id: string }>('POST', '/module-definitions', {
    data: definition,
  })
  return client.done<ModuleVersion>('POST', '/module-versions', {
    data: {
      moduleDefinitionId,
      version: '1.0.0',
      description: 'First version.',
      config: { ...config, deploy: { ...config.deploy, ...change } },
    },
  })
}

/** Returns the config of the test module `function`. */
export async function readFunctionModule() {
  const text = await readFile(new URL('./function.yaml', import.meta.url), 'utf8')
  return parse(text) as { deploy: object; [part: string]: unknown }
}

export function functionDataOf({ data }: Deployment): LambdaDeploymentData {
  if (data?.type !== 'cloud:lambda') throw new Error(`the deployment has no data of cloud:lambda but of ${data?.type}`)
  return data
}
