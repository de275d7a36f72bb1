/** The manifests of examples/kubernetes, and what the tests read of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

export const ROOT = resolve(import.meta.dirname, '../..');
export const FOLDER = join(ROOT, 'examples/kubernetes');

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly securityContext: object;
  readonly volumeMounts: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface Pod {
  readonly automountServiceAccountToken?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: object;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly [Container];
  readonly volumes: readonly {
    readonly name: string;
    readonly configMap?: { readonly name: string };
    readonly secret?: { readonly secretName: string };
  }[];
}

export interface JobSpec {
  readonly completions?: number;
  readonly podFailurePolicy: {
    readonly rules: readonly {
      readonly action: string;
      readonly onExitCodes?: { readonly values: readonly number[] };
    }[];
  };
  readonly template: { readonly spec: Pod };
}

export interface Kustomization {
  readonly namespace: string;
  readonly images: readonly { readonly name: string; readonly newName: string; readonly newTag: string }[];
  readonly configMapGenerator: readonly Generator[];
  readonly secretGenerator: readonly Generator[];
  readonly resources: readonly string[];
}

interface Generator {
  readonly name: string;
  readonly files?: readonly string[];
  readonly literals?: readonly string[];
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  // The parts that differ by kind are looked at by the schemas.
  readonly spec: {
    readonly [name: string]: unknown;
    readonly template?: { readonly spec: Pod };
    readonly jobTemplate?: { readonly spec: JobSpec };
  };
}

export const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

export const manifest = (file: string): Manifest => parse(read(file)) as Manifest;

export const kustomization = (): Kustomization => parse(read('kustomization.yaml')) as Kustomization;

/** Every file that is a manifest. */
export const MANIFESTS = readdirSync(FOLDER).filter(
  (file) => file.endsWith('.yaml') && !['websites.yaml', 'kustomization.yaml'].includes(file),
);

/** Of the Prometheus Operator, for which there is no schema here. */
export const POD_MONITOR = 'pod-monitor.yaml';

export const podOf = ({ spec }: Manifest): Pod | undefined =>
  spec?.template?.spec ?? spec?.jobTemplate?.spec.template.spec;

/** Those that run something. */
export const WORKLOADS = MANIFESTS.filter((file) => podOf(manifest(file)) !== undefined);

export const containersOf = (file: string): readonly Container[] => {
  const pod = podOf(manifest(file));
  return pod === undefined ? [] : [...(pod.initContainers ?? []), ...pod.containers];
};
