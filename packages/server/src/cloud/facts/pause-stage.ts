/** One stage at which a release waits for a person. */
export type PauseStage = {
  /** A lifecycle stage of the cloud at which it can pause, e.g. `PRE_PRODUCTION_TRAFFIC_SHIFT`. */
  stage: string
  timeoutInMinutes: number
  /** What the cloud does when nobody decides in time. */
  timeoutAction: 'ROLLBACK' | 'CONTINUE'
}
