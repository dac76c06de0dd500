import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda'
import type { FunctionPlace } from '../../facts/lambda.ts'
import { callCloud } from '../cloud-call.ts'

/** Settings of a function that decide whether a release of it can succeed. */
export type FunctionReading = { roleArn: string; architecture: string; state: string; update: string }

export async function readFunctionSettings(
  lambda: LambdaClient,
  { functionArn: FunctionName }: FunctionPlace,
): Promise<FunctionReading> {
  const found = await callCloud(() => lambda.send(new GetFunctionConfigurationCommand({ FunctionName })))
  const { Role = '', Architectures = [], State = 'Active', LastUpdateStatus = 'Successful' } = found
  return { roleArn: Role, architecture: Architectures[0] ?? 'x86_64', state: State, update: LastUpdateStatus }
}
