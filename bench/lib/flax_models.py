"""Models of Hugging Face's Flax classes, lowered with weights sharded by rule.

`tp` shards the last dimension of each weight that divides over the axis model; `both` also the first of the others over the
axis data. Activations follow the batch, over data. Nothing is chosen by hand: what a partitioner makes of such layouts is
what is compared.
"""
import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import optax
import transformers
from jax.sharding import NamedSharding, PartitionSpec

import layouts


@dataclass(frozen=True)
class Size:
    hidden: int
    heads: int
    ffn: int
    vocab: int
    positions: int
    batch: int
    tokens: int
    image: int
    patch: int
    samples: int   # of sound
    frames: int    # of a spectrogram
    channels: tuple   # of convolutional models, by stage

    @property
    def head(self):
        return self.hidden // self.heads


BASE = Size(hidden=768, heads=12, ffn=3072, vocab=32000, positions=512, batch=16, tokens=256, image=224, patch=16, samples=16000,
            frames=3000, channels=(64, 128, 256, 512))
SMALL = Size(hidden=32, heads=4, ffn=64, vocab=64, positions=64, batch=4, tokens=16, image=32, patch=8, samples=400, frames=64,
             channels=(8, 16, 32, 32))


def allow_old_names():
    """transformers 4.46 calls jnp.clip by names that this JAX no longer has."""
    clip = jnp.clip

    @functools.wraps(clip)
    def clip_by_any_name(*arguments, **named):
        names = {"a_min": "min", "a_max": "max"}
        return clip(*arguments, **{names.get(name, name): value for name, value in named.items()})
    jnp.clip = clip_by_any_name


# ---- configurations -----------------------------------------------------------------------------------------------------------

def encoder_sizes(s):
    return dict(hidden_size=s.hidden, num_attention_heads=s.heads, num_hidden_layers=2, intermediate_size=s.ffn,
                vocab_size=s.vocab, max_position_embeddings=s.positions)


def gpt_sizes(s):
    return dict(n_embd=s.hidden, n_head=s.heads, n_layer=2, vocab_size=s.vocab, n_positions=s.positions)


def pair_sizes(s):
    return dict(d_model=s.hidden, encoder_layers=2, decoder_layers=2, encoder_attention_heads=s.heads,
                decoder_attention_heads=s.heads, encoder_ffn_dim=s.ffn, decoder_ffn_dim=s.ffn, vocab_size=s.vocab,
                max_position_embeddings=s.positions)


def t5_sizes(s):
    return dict(d_model=s.hidden, d_kv=s.head, d_ff=s.ffn, num_layers=2, num_heads=s.heads, vocab_size=s.vocab,
                decoder_start_token_id=0)


def vision_sizes(s):
    return dict(hidden_size=s.hidden, num_attention_heads=s.heads, num_hidden_layers=2, intermediate_size=s.ffn,
                image_size=s.image, patch_size=s.patch)


def convolution_sizes(s):
    return dict(embedding_size=s.channels[0], hidden_sizes=list(s.channels), depths=[1, 1, 2, 1])


def models(s):
    """(name, class, configuration, kind of inputs) of each model."""
    t = transformers
    encoder, gpt, pair, t5, vision = encoder_sizes(s), gpt_sizes(s), pair_sizes(s), t5_sizes(s), vision_sizes(s)
    narrow = s.hidden // 2 if s is SMALL else 128
    # The positions of these begin behind the padding token's.
    shifted = {**encoder, "max_position_embeddings": 2 * s.positions}
    return [
        ("albert", t.FlaxAlbertForMaskedLM, t.AlbertConfig(embedding_size=narrow, **encoder), "text"),
        ("bert_mlm", t.FlaxBertForMaskedLM, t.BertConfig(**encoder), "text"),
        ("bert_qa", t.FlaxBertForQuestionAnswering, t.BertConfig(**encoder), "text"),
        ("bert_tokens", t.FlaxBertForTokenClassification, t.BertConfig(num_labels=5, **encoder), "text"),
        ("big_bird", t.FlaxBigBirdForMaskedLM, t.BigBirdConfig(attention_type="original_full", **encoder), "text"),
        ("big_bird_sparse", t.FlaxBigBirdForMaskedLM,
         t.BigBirdConfig(attention_type="block_sparse", block_size=s.tokens // 8 if s is SMALL else 16, num_random_blocks=1, **encoder),
         "text"),
        ("distilbert", t.FlaxDistilBertForMaskedLM,
         t.DistilBertConfig(dim=s.hidden, n_heads=s.heads, n_layers=2, hidden_dim=s.ffn, vocab_size=s.vocab,
                            max_position_embeddings=s.positions), "text"),
        ("electra", t.FlaxElectraForPreTraining, t.ElectraConfig(embedding_size=narrow, **encoder), "text"),
        ("roberta", t.FlaxRobertaForMaskedLM, t.RobertaConfig(**shifted), "text"),
        ("xlm_roberta", t.FlaxXLMRobertaForSequenceClassification, t.XLMRobertaConfig(**shifted), "text"),
        ("gpt2", t.FlaxGPT2LMHeadModel, t.GPT2Config(**gpt), "text"),
        ("gptj", t.FlaxGPTJForCausalLM, t.GPTJConfig(rotary_dim=s.head, **gpt), "text"),
        ("gpt_neo", t.FlaxGPTNeoForCausalLM,
         t.GPTNeoConfig(hidden_size=s.hidden, num_heads=s.heads, num_layers=2, attention_types=[[["global", "local"], 1]],
                        vocab_size=s.vocab, max_position_embeddings=s.positions, intermediate_size=s.ffn, window_size=s.tokens // 4),
         "text"),
        ("bloom", t.FlaxBloomForCausalLM, t.BloomConfig(hidden_size=s.hidden, n_head=4, n_layer=2, vocab_size=s.vocab), "text"),
        ("opt", t.FlaxOPTForCausalLM,
         t.OPTConfig(hidden_size=s.hidden, num_attention_heads=s.heads, num_hidden_layers=2, ffn_dim=s.ffn, vocab_size=s.vocab,
                     max_position_embeddings=s.positions, word_embed_proj_dim=s.hidden), "opt"),
        ("llama", t.FlaxLlamaForCausalLM, t.LlamaConfig(num_key_value_heads=s.heads, **encoder), "text"),
        ("mistral", t.FlaxMistralForCausalLM, t.MistralConfig(num_key_value_heads=s.heads // 2, sliding_window=s.tokens // 4, **encoder),
         "text"),
        ("gemma", t.FlaxGemmaForCausalLM, t.GemmaConfig(num_key_value_heads=1, head_dim=s.head, **encoder), "text"),
        ("xglm", t.FlaxXGLMForCausalLM,
         t.XGLMConfig(d_model=s.hidden, attention_heads=s.heads, num_layers=2, ffn_dim=s.ffn, vocab_size=s.vocab,
                      max_position_embeddings=s.positions), "text"),
        ("bart", t.FlaxBartForConditionalGeneration, t.BartConfig(**pair), "pair"),
        ("mbart", t.FlaxMBartForConditionalGeneration, t.MBartConfig(**pair), "pair"),
        ("pegasus", t.FlaxPegasusForConditionalGeneration, t.PegasusConfig(**pair), "pair"),
        ("blenderbot", t.FlaxBlenderbotForConditionalGeneration, t.BlenderbotConfig(**pair), "pair"),
        ("marian", t.FlaxMarianMTModel, t.MarianConfig(pad_token_id=0, **pair), "pair"),
        ("t5", t.FlaxT5ForConditionalGeneration, t.T5Config(**t5), "pair"),
        ("t5_gated", t.FlaxT5ForConditionalGeneration,
         t.T5Config(feed_forward_proj="gated-gelu", tie_word_embeddings=False, **t5), "pair"),
        ("longt5", t.FlaxLongT5ForConditionalGeneration, t.LongT5Config(local_radius=s.tokens // 8 - 1, **t5), "pair"),
        ("longt5_global", t.FlaxLongT5ForConditionalGeneration,
         t.LongT5Config(local_radius=s.tokens // 8 - 1, encoder_attention_type="transient-global", global_block_size=s.tokens // 16 or 4,
                        **t5), "pair"),
        ("vit", t.FlaxViTForImageClassification, t.ViTConfig(**vision), "image"),
        ("beit", t.FlaxBeitForImageClassification, t.BeitConfig(**vision), "image"),
        ("dinov2", t.FlaxDinov2ForImageClassification, t.Dinov2Config(**vision), "image"),
        ("resnet", t.FlaxResNetForImageClassification, t.ResNetConfig(**convolution_sizes(s)), "statistics"),
        ("regnet", t.FlaxRegNetForImageClassification, t.RegNetConfig(groups_width=s.channels[0], **convolution_sizes(s)), "statistics"),
        ("clip", t.FlaxCLIPModel,
         t.CLIPConfig(text_config={**encoder, "eos_token_id": 2}, vision_config=vision, projection_dim=s.hidden // 2), "text_and_image"),
        ("wav2vec2", t.FlaxWav2Vec2ForCTC,
         t.Wav2Vec2Config(hidden_size=s.hidden, num_attention_heads=s.heads, num_hidden_layers=2, intermediate_size=s.ffn, vocab_size=32,
                          conv_dim=(s.channels[-1],) * 3, conv_stride=(5, 2, 2), conv_kernel=(10, 3, 3), num_feat_extract_layers=3,
                          num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4, do_stable_layer_norm=True,
                          feat_extract_norm="layer", mask_time_prob=0.0), "sound"),
        ("whisper", t.FlaxWhisperForConditionalGeneration,
         t.WhisperConfig(max_source_positions=s.frames // 2, max_target_positions=s.positions, num_mel_bins=8 if s is SMALL else 80,
                         pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, suppress_tokens=None,
                         begin_suppress_tokens=None, **{key: value for key, value in pair.items() if key != "max_position_embeddings"}),
         "spectrogram"),
    ]


def make_inputs(kind, s, config):
    ids = jax.ShapeDtypeStruct((s.batch, s.tokens), jnp.int32)
    text = dict(input_ids=ids, attention_mask=ids)
    image = dict(pixel_values=jax.ShapeDtypeStruct((s.batch, 3, s.image, s.image), jnp.float32))
    return {
        "text": text, "opt": text, "pair": dict(decoder_input_ids=ids, decoder_attention_mask=ids, **text),
        "image": image, "statistics": image, "text_and_image": {**text, **image},
        "sound": dict(input_values=jax.ShapeDtypeStruct((s.batch, s.samples), jnp.float32)),
        "spectrogram": dict(decoder_input_ids=ids, input_features=jax.ShapeDtypeStruct(
            (s.batch, getattr(config, "num_mel_bins", 0), s.frames), jnp.float32)),
    }[kind]


# ---- programs -----------------------------------------------------------------------------------------------------------------

class Model:
    def __init__(self, name, kind, cls, config, s):
        self.name, self.kind, self.size = name, kind, s
        self.model = cls(config, _do_init=False)
        if kind in ("image", "statistics"):
            self.model.input_shape = (1, s.image, s.image, 3)
        self.inputs = make_inputs(kind, s, config)
        self.mesh = layouts.make_mesh(data=2, model=4)
        self.key = jax.eval_shape(lambda: jax.random.PRNGKey(0))

    @functools.cached_property
    def params(self):
        return jax.eval_shape(lambda: self.model.init_weights(jax.random.PRNGKey(0), self.model.input_shape))

    def on(self, *spec):
        return NamedSharding(self.mesh, PartitionSpec(*spec))

    def shard(self, tree, uses_data):
        """By the rule of this file's head."""
        def choose(array):
            spec = [None] * array.ndim
            dims = [dim for dim in reversed(range(array.ndim)) if array.ndim >= 2 and array.shape[dim] % 4 == 0 and array.shape[dim] >= 8]
            if dims:
                spec[dims[0]] = "model"
            free = [dim for dim in range(array.ndim) if not spec[dim] and array.shape[dim] % 2 == 0 and array.shape[dim] >= 8]
            if uses_data and free:
                spec[free[0]] = "data"
            return self.on(*spec)
        return jax.tree.map(choose, tree)

    def lower(self, function, arguments, shardings):
        return jax.jit(function, in_shardings=shardings).lower(*arguments).as_text()

    def run(self, params, inputs, dropout=None):
        """The scores."""
        named = dict(params=params, **inputs)
        if self.kind == "statistics":
            named["train"] = False   # else it would return new statistics too
        elif self.kind != "opt":
            named["train"] = dropout is not None
        if dropout is not None and self.kind != "statistics":
            named["dropout_rng"] = dropout
        if self.name == "big_bird_sparse":
            named["indices_rng"] = jax.random.PRNGKey(3)
        output = self.model(**named)
        for name in ("logits", "logits_per_image", "start_logits"):
            if name in output:
                return output[name]
        raise ValueError(f"{self.name} has no scores")

    def lower_forward(self, uses_data):
        shardings = (self.shard(self.params, uses_data), jax.tree.map(lambda _: self.on("data"), self.inputs))
        return self.lower(self.run, (self.params, self.inputs), shardings)

    def lower_training(self, uses_data):
        optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
        state = jax.eval_shape(optimizer.init, self.params)

        def get_loss(params, inputs, key):
            scores = self.run(params, inputs, key).astype(jnp.float32)
            if self.kind in ("text", "opt", "pair") and scores.ndim == 3:
                return optax.softmax_cross_entropy_with_integer_labels(scores, inputs["input_ids"] % scores.shape[-1]).mean()
            return (jax.nn.log_softmax(scores) ** 2).mean()

        def step(params, state, inputs, key):
            updates, state = optimizer.update(jax.grad(get_loss)(params, inputs, key), state, params)
            return optax.apply_updates(params, updates), state
        shardings = (self.shard(self.params, uses_data), self.shard(state, uses_data),
                     jax.tree.map(lambda _: self.on("data"), self.inputs), self.on())
        return self.lower(step, (self.params, state, self.inputs, self.key), shardings)

    def generates(self):
        return self.kind in ("text", "opt", "pair", "spectrogram") and self.model.can_generate()

    def lower_generation(self):
        inputs = {name: array for name, array in self.inputs.items() if not name.startswith("decoder")}
        is_decoder = self.kind in ("text", "opt")
        named = dict(max_length=self.size.tokens + 6 if is_decoder else 8, pad_token_id=0, eos_token_id=2)
        if not is_decoder:
            named["decoder_start_token_id"] = 1
        generate = lambda params, inputs: self.model.generate(**inputs, params=params, **named).sequences
        shardings = (self.shard(self.params, False), jax.tree.map(lambda _: self.on("data"), inputs))
        return self.lower(generate, (self.params, inputs), shardings)


def programs(s):
    """(name, what lowers it) of each program."""
    allow_old_names()
    result = []
    for name, cls, config, kind in models(s):
        model = Model(name, kind, cls, config, s)
        for rule, uses_data in (("tp", False), ("both", True)):
            result.append((f"{name}_fwd_{rule}", functools.partial(model.lower_forward, uses_data)))
            result.append((f"{name}_train_{rule}", functools.partial(model.lower_training, uses_data)))
        if model.generates():
            result.append((f"{name}_generate", model.lower_generation))
    return result
