/** Stage at which a release pauses for a manual decision. */
export type PauseStage = {
  /** ECS lifecycle stage, such as `PRE_PRODUCTION_TRAFFIC_SHIFT`. */
  stage: string
  timeoutInMinutes: number
  /** What ECS does when the pause times out. */
  timeoutAction: 'ROLLBACK' | 'CONTINUE'
}
