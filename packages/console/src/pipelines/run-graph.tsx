import type { PipelineStepExecution } from '@sluice/contract'
import { useEffect, useMemo, useRef } from 'react'
import { statusStyles } from '../ui/status-badge.tsx'
import { variables } from '../ui/variables.ts'
import { type BoxPosition, box, edgePath, layout } from './graph-layout.ts'
import classes from './run-graph.module.css'

type Props = {
  needs: ReadonlyMap<string, readonly string[]>
  steps: readonly PipelineStepExecution[]
  chosen: string | undefined
  onChoose: (stepId: string) => void
}

/** Draws the steps of a run as a graph with their status. Large graphs scroll. */
export default function RunGraph({ needs, steps, chosen, onChoose }: Props) {
  const placed = useMemo(() => new Map(layout(needs).map((one) => [one.id, one])), [needs])
  const byId = new Map(steps.map((step) => [step.stepId, step]))
  const boxes = [...placed.values()]
  const width = Math.max(0, ...boxes.map(({ x }) => x + box.width))
  const height = Math.max(0, ...boxes.map(({ y }) => y + box.height))
  return (
    <div className={classes.graph}>
      <div className={classes.sheet} style={{ width, height }}>
        <svg className={classes.edges} width={width} height={height} aria-hidden>
          {[...needs].flatMap(([target, sources]) =>
            sources.map((source) => (
              <Edge
                key={`${source} ${target}`}
                from={placed.get(source)}
                to={placed.get(target)}
                isFlowing={byId.get(target)?.status === 'IN_PROGRESS'}
              />
            )),
          )}
        </svg>
        {boxes.map(({ id, x, y }) => {
          const step = byId.get(id)
          if (!step) return null
          return <StepBox key={id} step={step} at={{ x, y }} isChosen={id === chosen} onChoose={() => onChoose(id)} />
        })}
      </div>
    </div>
  )
}

type EdgeProps = { from: BoxPosition | undefined; to: BoxPosition | undefined; isFlowing: boolean }

const Edge = ({ from, to, isFlowing }: EdgeProps) =>
  from && to ? <path d={edgePath(from, to)} className={classes.edge} data-flowing={isFlowing} /> : null

type BoxProps = { step: PipelineStepExecution; at: { x: number; y: number }; isChosen: boolean; onChoose: () => void }

const StepBox = ({ step, at: { x, y }, isChosen, onChoose }: BoxProps) => {
  const { label, color, Icon } = statusStyles[step.status]
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isChosen) scrollTo(button.current)
  }, [isChosen])
  return (
    <button
      ref={button}
      type="button"
      className={classes.box}
      data-chosen={isChosen}
      aria-current={isChosen ? 'step' : undefined}
      style={{ left: x, top: y, ...box, ...variables({ '--state': `var(--mantine-color-${color}-filled)` }) }}
      onClick={onChoose}
    >
      <Icon size={20} aria-hidden className={classes.icon} />
      <span className={classes.words}>
        <span className={classes.name}>{step.stepName}</span>
        <span className={classes.state}>
          {step.stepType} · {label}
        </span>
      </span>
    </button>
  )
}

/** Scrolls a box into view without scrolling the page. */
function scrollTo(button: HTMLElement | null): void {
  const frame = button?.parentElement?.parentElement
  if (!button || !frame) return
  const { offsetLeft: x, offsetTop: y } = button
  frame.scrollTo({
    left: x - (frame.clientWidth - box.width) / 2,
    top: y - (frame.clientHeight - box.height) / 2,
  })
}
