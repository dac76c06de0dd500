/** The words or the environment cannot be right, whatever the service would say: it was not asked. */
export class CalledWrongly extends Error {
  override readonly name = 'CalledWrongly'
}
