import '@xyflow/react/dist/style.css'
import { useComputedColorScheme } from '@mantine/core'
import type { PipelineStepExecution } from '@sluice/contract'
import { Controls, type Edge, Handle, type Node, type NodeProps, Position, ReactFlow } from '@xyflow/react'
import { useMemo } from 'react'
import { looks } from '../ui/status-badge.tsx'
import { variables } from '../ui/variables.ts'
import { box, layout } from './graph-layout.ts'
import classes from './run-graph.module.css'

type StepNode = Node<{ step: PipelineStepExecution; isChosen: boolean; onChoose: (stepId: string) => void }>

type Props = {
  needs: ReadonlyMap<string, readonly string[]>
  steps: readonly PipelineStepExecution[]
  chosen: string | undefined
  onChoose: (stepId: string) => void
}

/** The steps of a run as a graph, each with where it stands. */
export default function RunGraph({ needs, steps, chosen, onChoose }: Props) {
  const colorMode = useComputedColorScheme('light')
  const placed = useMemo(() => layout(needs), [needs])
  const byId = new Map(steps.map((step) => [step.stepId, step]))
  const nodes = placed.flatMap(({ id, x, y }): StepNode[] => {
    const step = byId.get(id)
    if (!step) return []
    const { width, height } = box
    const data = { step, isChosen: id === chosen, onChoose }
    return [{ id, type: 'step', position: { x, y }, width, height, measured: { width, height }, data }]
  })
  const edges = [...needs].flatMap(([target, sources]) =>
    sources.map((source): Edge => {
      const isFlowing = byId.get(target)?.status === 'IN_PROGRESS'
      return { id: `${source} ${target}`, source, target, animated: isFlowing }
    }),
  )
  return (
    <div className={classes.graph} style={{ height: heightOf(placed) }}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        colorMode={colorMode}
        fitView
        fitViewOptions={{ padding: { x: '24px', top: '24px', bottom: `${controlsHeight}px` }, maxZoom: 1 }}
        minZoom={0.1}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        preventScrolling={false}
      >
        <Controls showInteractive={false} orientation="horizontal" />
      </ReactFlow>
    </div>
  )
}

/** The buttons stand below the boxes, not on them. Pixels. */
const controlsHeight = 56

/** As high as its highest column, within reason. Pixels. */
const heightOf = (placed: { y: number }[]): number =>
  Math.min(480, Math.max(160, ...placed.map(({ y }) => y + box.height + 24 + controlsHeight)))

const StepBox = ({ data: { step, isChosen, onChoose } }: NodeProps<StepNode>) => {
  const { label, color, Icon } = looks[step.status]
  return (
    <>
      <Handle type="target" position={Position.Left} className={classes.handle ?? ''} isConnectable={false} />
      <button
        type="button"
        className={`${classes.box} nopan`}
        data-chosen={isChosen}
        aria-current={isChosen ? 'step' : undefined}
        style={variables({ '--state': `var(--mantine-color-${color}-filled)` })}
        onClick={() => onChoose(step.stepId)}
      >
        <Icon size={20} aria-hidden className={classes.icon} />
        <span className={classes.words}>
          <span className={classes.name}>{step.stepName}</span>
          <span className={classes.state}>
            {step.stepType} · {label}
          </span>
        </span>
      </button>
      <Handle type="source" position={Position.Right} className={classes.handle ?? ''} isConnectable={false} />
    </>
  )
}

const nodeTypes = { step: StepBox }
