import { CreateAliasCommand, CreateFunctionCommand, type LambdaClient } from '@aws-sdk/client-lambda'

export type FunctionOptions = {
  name: string
  accountNumber: string
  /** First code: an archive or an image. */
  code: { S3Bucket: string; S3Key: string } | { ImageUri: string }
}

/** Creates a function whose alias `live` points to its first version, and returns its ARN. */
export async function createFunction(
  lambda: LambdaClient,
  { name, accountNumber, code }: FunctionOptions,
): Promise<string> {
  const isImage = 'ImageUri' in code
  const made = await lambda.send(
    new CreateFunctionCommand({
      FunctionName: name,
      Role: `arn:aws:iam::${accountNumber}:role/${name}`,
      Code: code,
      Publish: true,
      ...(isImage ? { PackageType: 'Image' } : { Runtime: 'nodejs22.x', Handler: 'index.handler' }),
    }),
  )
  await lambda.send(new CreateAliasCommand({ FunctionName: name, Name: 'live', FunctionVersion: made.Version }))
  const arn = made.FunctionArn?.replace(/:\d+$/, '')
  if (arn === undefined) throw new Error('The cloud answered without the function ARN.')
  return arn
}
