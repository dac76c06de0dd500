import { VisuallyHidden } from '@mantine/core'
import type { Deployment } from '@sluice/contract'
import { stageName } from './shown.ts'
import classes from './stage-track.module.css'
import { stagesOf } from './stages.ts'

/** All stages from first to last, with the present one lit. */
export const StageTrack = ({ deployment }: { deployment: Deployment }) => (
  <ol className={classes.track}>
    {stagesOf(deployment).map(({ code, state }) => (
      <li
        key={code}
        className={classes.stage}
        data-state={state}
        aria-current={state === 'current' || state === 'paused' ? 'step' : undefined}
      >
        {stageName(code)}
        <VisuallyHidden>, {state}</VisuallyHidden>
      </li>
    ))}
  </ol>
)
