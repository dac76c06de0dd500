import { operations } from '../operation.ts'
import * as commands from './commands.ts'
import * as documents from './documents.ts'
import * as invocations from './invocations.ts'
import * as managedInstances from './managed-instances.ts'
import * as parameters from './parameters.ts'
import * as tags from './tags.ts'

/** Simulated operations of Systems Manager, API version 2014-11-06. */
export const ssmOperations = operations({
  AddTagsToResource: tags.addTagsToResource,
  CancelCommand: commands.cancelCommand,
  CreateDocument: documents.createDocument,
  DeleteDocument: documents.deleteDocument,
  DeleteParameter: parameters.deleteParameter,
  DescribeDocument: documents.describeDocument,
  DescribeDocumentPermission: documents.describeDocumentPermission,
  DescribeInstanceInformation: managedInstances.describeInstanceInformation,
  DescribeParameters: parameters.describeParameters,
  GetCommandInvocation: invocations.getCommandInvocation,
  GetDocument: documents.getDocument,
  GetParameter: parameters.getParameter,
  GetParameters: parameters.getParameters,
  ListCommandInvocations: invocations.listCommandInvocations,
  ListCommands: commands.listCommands,
  ListTagsForResource: tags.listTagsForResource,
  PutParameter: parameters.putParameter,
  RemoveTagsFromResource: tags.removeTagsFromResource,
  SendCommand: commands.sendCommand,
  UpdateDocument: documents.updateDocument,
  UpdateDocumentDefaultVersion: documents.updateDocumentDefaultVersion,
})
