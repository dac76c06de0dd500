import { operations } from '../operation.ts'
import * as commands from './commands.ts'
import * as documents from './documents.ts'
import * as invocations from './invocations.ts'
import * as managedInstances from './managed-instances.ts'
import * as parameters from './parameters.ts'

/** The systems management API, version 2014-11-06, as far as it is simulated. */
export const ssmOperations = operations({
  CancelCommand: commands.cancelCommand,
  CreateDocument: documents.createDocument,
  DeleteDocument: documents.deleteDocument,
  DeleteParameter: parameters.deleteParameter,
  DescribeDocument: documents.describeDocument,
  DescribeInstanceInformation: managedInstances.describeInstanceInformation,
  GetCommandInvocation: invocations.getCommandInvocation,
  GetParameter: parameters.getParameter,
  ListCommandInvocations: invocations.listCommandInvocations,
  ListCommands: commands.listCommands,
  PutParameter: parameters.putParameter,
  SendCommand: commands.sendCommand,
})
