import { useMantineTheme } from '@mantine/core'
import type { ServiceHealth, ServiceInEnvironment } from '@sluice/contract'
import type { CSSProperties, ReactNode } from 'react'
import { usePermission } from '../api/use-permission.ts'
import {
  type Icon,
  IconAlertCircle,
  IconAlertTriangle,
  IconArrowBackUp,
  IconClock,
  IconLoader2,
  IconLock,
  IconPlayerPause,
} from '../ui/icons.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { zonedTime } from '../ui/time.tsx'
import { variables } from '../ui/variables.ts'
import { describeService, notReleasedBySluice, type Running, type Tasks } from './describe-service.ts'
import classes from './short-status.module.css'
import { shortVersion } from './short-version.ts'

type Props = {
  place: ServiceInEnvironment
  health: ServiceHealth | undefined
  /** Additional badges, after those of releases. */
  children?: ReactNode
}

/** Shows a service in an environment in one line; tooltips have the full text of `ServiceStatus`. */
export const ShortStatus = ({ place, health, children }: Props) => {
  const { isAllowed: canDecide } = usePermission('approvals:write')
  const { running, tasks, progress, failure } = describeService({ place, health, canDecide })
  const { inProgress, failed, moduleInstanceId, hold, status, driftedResources } = place
  const infrastructure = { moduleInstanceId, tab: 'infrastructure' }
  return (
    <div className={classes.status}>
      <ShortRunning running={running} moduleInstanceId={moduleInstanceId} />
      {tasks && (!progress || tasks.state !== 'complete') && <ShortTasks tasks={tasks} />}
      {inProgress && progress && (
        <Mark
          to={{ deploymentId: progress.deploymentId }}
          color={progress.isPaused || inProgress.status === 'ROLLING_BACK' ? 'orange' : 'water'}
          Icon={progressIcon(inProgress)}
          label={[progress.words, progress.actor, progress.message, progress.queued].filter(Boolean).join('. ')}
        >
          {[shortVersion(inProgress.version ?? 'release'), percentOf(inProgress.newTrafficPercent)]
            .filter(Boolean)
            .join(' ')}
        </Mark>
      )}
      {failed && failure && (
        <Mark
          to={{ deploymentId: failure.deploymentId }}
          color="red"
          Icon={IconAlertCircle}
          label={[failure.words, failure.message].filter(Boolean).join('. ')}
        >
          {!progress && shortVersion(failed.version ?? 'release')}
        </Mark>
      )}
      {status === 'ERROR' && (
        <Mark to={infrastructure} color="red" Icon={IconAlertTriangle} label="Infrastructure failed" />
      )}
      {hold && (
        <Mark to={{ moduleInstanceId }} color="orange" Icon={IconLock} label={`Held by ${hold.by}: ${hold.reason}`} />
      )}
      {driftedResources > 0 && (
        <Mark
          to={infrastructure}
          color="orange"
          Icon={IconAlertTriangle}
          label={`${driftedResources} drifted ${driftedResources === 1 ? 'resource' : 'resources'}`}
        >
          {driftedResources}
        </Mark>
      )}
      {children}
    </div>
  )
}

const percentOf = (percent: number | undefined) => (percent === undefined ? '' : `${Math.round(percent)} %`)

function progressIcon({ status, isPaused }: NonNullable<ServiceInEnvironment['inProgress']>): Icon {
  if (status === 'PENDING') return IconClock
  if (status === 'ROLLING_BACK') return IconArrowBackUp
  return isPaused ? IconPlayerPause : IconLoader2
}

type RunningProps = { running: Running; moduleInstanceId: string }

const ShortRunning = ({ running: { words, deploymentId, note, since, by }, moduleInstanceId }: RunningProps) => {
  const title = [words, note, since && zonedTime(since), by].filter(Boolean).join(' · ')
  if (deploymentId !== undefined) {
    return (
      <TextLink
        to="/console/deployments/$id"
        params={{ id: deploymentId }}
        title={title}
        className={classes.version ?? ''}
      >
        {shortVersion(words)}
      </TextLink>
    )
  }
  const isExternal = note === notReleasedBySluice
  return (
    <>
      <TextLink
        to="/console/instances/$id"
        params={{ id: moduleInstanceId }}
        title={title}
        className={`${classes.version} ${isExternal ? '' : classes.none}`}
      >
        {isExternal ? shortVersion(words) : 'Not released'}
      </TextLink>
      {isExternal && (
        <span className={classes.detail} role="img" aria-label={notReleasedBySluice} title={notReleasedBySluice}>
          external
        </span>
      )}
    </>
  )
}

const ShortTasks = ({ tasks: { words, state, short } }: { tasks: Tasks }) => {
  const style = useTint(state === 'none' ? 'red' : 'orange')
  const shared = { role: 'img', 'aria-label': words, title: words }
  return state === 'complete' ? (
    <span className={classes.detail} {...shared}>
      {short}
    </span>
  ) : (
    <span className={classes.mark} style={style} {...shared}>
      {short}
    </span>
  )
}

type MarkProps = {
  to: { deploymentId: string } | { moduleInstanceId: string; tab?: string; from?: string }
  color: string
  Icon: Icon
  label: string
  children?: ReactNode
}

/** Icon with a short text that leads to the details. The label says in full what it means. */
export const Mark = ({ to, color, Icon, label, children }: MarkProps) => {
  const shared = { className: classes.mark ?? '', style: useTint(color), 'aria-label': label, title: label }
  const content = (
    <>
      <Icon size={14} aria-hidden />
      {children && <span>{children}</span>}
    </>
  )
  if ('deploymentId' in to) {
    return (
      <TextLink to="/console/deployments/$id" params={{ id: to.deploymentId }} {...shared}>
        {content}
      </TextLink>
    )
  }
  const { moduleInstanceId, ...search } = to
  return (
    <TextLink to="/console/instances/$id" params={{ id: moduleInstanceId }} search={search} {...shared}>
      {content}
    </TextLink>
  )
}

/** Returns the colors of light badges, which meet WCAG AA. */
function useTint(color: string): CSSProperties {
  const theme = useMantineTheme()
  const { color: text, background } = theme.variantColorResolver({ color, theme, variant: 'light' })
  return variables({ '--mark-text': text, '--mark-ground': background })
}
