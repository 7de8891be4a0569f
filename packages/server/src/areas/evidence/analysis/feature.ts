import type { Model } from '../../../model/model.ts'
import { createLlmAnalyser } from './llm-client.ts'
import { type AnalysisDeps, createAnalysisService } from './service.ts'

type AnalysisFeatureDeps = Omit<AnalysisDeps, 'remote'> & {
  /** Analyses instead of the rules; present when ANALYZER=llm. */
  model: Model | undefined
}

export function createAnalysisFeature({ model, ...deps }: AnalysisFeatureDeps) {
  const remote = model && { model: model.name, analyse: createLlmAnalyser({ model }) }
  return { service: createAnalysisService({ ...deps, remote }) }
}
