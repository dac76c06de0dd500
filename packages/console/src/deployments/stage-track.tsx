import { VisuallyHidden } from '@mantine/core'
import type { Deployment } from '@sluice/contract'
import { currentStep, type Stage, stageName, stagesOf } from '@sluice/contract/stages'
import classes from './stage-track.module.css'

/** Shows all stages in order and highlights the current one. */
export const StageTrack = ({ deployment }: { deployment: Deployment }) => {
  const step = currentStep(deployment)
  return (
    <ol className={classes.track} aria-label="Stages">
      {stagesOf(deployment).map((stage) => (
        <li
          key={stage.first}
          className={classes.stage}
          data-state={stage.state}
          aria-current={stage.state === 'current' || stage.state === 'paused' ? 'step' : undefined}
        >
          {nameOf(stage, step)}
          <VisuallyHidden>, {stateLabels[stage.state]}</VisuallyHidden>
        </li>
      ))}
    </ol>
  )
}

const stateLabels = {
  done: 'done',
  current: 'current',
  paused: 'paused',
  failed: 'failed',
  'to come': 'pending',
} as const satisfies Record<Stage['state'], string>

/** Adds the progress to the name of a stage with several steps. */
function nameOf({ code, first, last, state }: Stage, step: number): string {
  const name = code === undefined ? `Step ${first}` : stageName(code)
  const isPartly = first < last && state !== 'done' && state !== 'to come'
  return isPartly ? `${name}, ${step - first + 1} of ${last - first + 1}` : name
}
